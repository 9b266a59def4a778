import { defineScript } from './run-script.ts';
import {
  CLOSE_STEPS,
  FILE_STEP,
  KEEP_STEPS,
  LEDGER_STEPS,
  MOVE_STEP,
  NOTE_STEP,
  PENDING_STEPS,
} from './steps.lua.ts';

/** A step of `SAVE_OUTCOME`. */
export interface OutcomeStep {
  readonly name: string;
  readonly keys: readonly string[];
  readonly values: readonly (string | number | Buffer)[];
}

/**
 * Saves an outcome unless there is one, together with a target's new state and a claim or not at all, and with its effects: jobs that
 * follow are opened and get their places in lanes (in the order of the outcomes), deliveries are filed, digests and the
 * scan's record change. A job without follow-ups is closed. Returns `saved` and the first job of its lane.
 *
 * Keys: outcome, then those of the steps. Arguments: outcome, its time to live in ms, number of steps that are conditions, then the steps,
 * these first: name, number of keys, number of arguments, arguments. A name without a function here is a command of Redis on one key.
 *
 * Conditions, which may refuse the outcome:
 * - `AFTER`, key: outcome of the job that this one followed directly. Arguments: that outcome, its time to live in ms. `state-moved`:
 *   it has one.
 * - `CLAIM`, key: claim. Arguments: holder, time to live in ms (0 releases it), the holder that it may replace ('' without one), 'held'
 *   when it only renews a claim. `state-moved`: another one holds it.
 * - `KNOWN`, key: identities of packages by id. Arguments: the newest package id of the inventories and its identity. `ids-lost`:
 *   Redis has lost that id since it was given out.
 * - `TAKE`, key: waiting digest entries of a route. Arguments: the entries that it takes. `state-moved`: another digest has one.
 * - `STATE`, keys: target, set of targets. Arguments: target id, revision replaced, new revision, new state. `state-moved`: another
 *   revision is stored.
 * - `FILED`, key: notification of the delivery that was sent. `not-wanted`: Redis has lost it, and with it the verdict; the scan is judged
 *   again, and its alert may have another content.
 * - `WANTED`, keys: open jobs, and the job in its queue where it need not be open. Argument: job id. `not-wanted`: neither has it.
 */
export const SAVE_OUTCOME = defineScript(`
${FILE_STEP}
${MOVE_STEP}
${NOTE_STEP}
${KEEP_STEPS}
${PENDING_STEPS}
${CLOSE_STEPS}
local function open(keys, arguments)
  local isNew = redis.call('HSET', keys[1], arguments[1], arguments[2]) == 1
  if isNew and keys[2] then
    redis.call('RPUSH', keys[2], arguments[1])
  end
end

local function touch(keys, arguments)
  local clock = redis.call('TIME')
  redis.call('ZADD', keys[1], clock[1] * 1000 + math.floor(clock[2] / 1000), arguments[1])
end

local function refusalOf(name, keys, arguments)
  if name == 'AFTER' then
    if redis.call('EXISTS', keys[1]) == 1 then
      return 'state-moved'
    end
  elseif name == 'CLAIM' then
    local holder = redis.call('GET', keys[1])
    if holder and holder ~= arguments[1] and holder ~= arguments[3] then
      return 'state-moved'
    end
  elseif name == 'KNOWN' then
    if redis.call('HGET', keys[1], arguments[1]) ~= arguments[2] then
      return 'ids-lost'
    end
  elseif name == 'TAKE' then
    for _, entry in ipairs(arguments) do
      if redis.call('HEXISTS', keys[1], entry) == 0 then
        return 'state-moved'
      end
    end
  elseif name == 'FILED' then
    if redis.call('EXISTS', keys[1]) == 0 then
      return 'not-wanted'
    end
  elseif name == 'WANTED' then
    local isOpen = redis.call('HEXISTS', keys[1], arguments[1]) == 1
    if not isOpen and not (keys[2] and redis.call('EXISTS', keys[2]) == 1) then
      return 'not-wanted'
    end
  elseif name == 'STATE' then
    if (redis.call('HGET', keys[1], 'revision') or '0') ~= arguments[2] then
      return 'state-moved'
    end
  end
end

local function change(keys, arguments)
  redis.call('HSET', keys[1], 'revision', arguments[3], 'state', arguments[4])
  redis.call('SADD', keys[2], arguments[1])
end

local function claim(keys, arguments)
  if arguments[2] == '0' then
    redis.call('DEL', keys[1])
  elseif arguments[4] ~= 'held' or redis.call('EXISTS', keys[1]) == 1 then
    redis.call('SET', keys[1], arguments[1], 'PX', arguments[2])
  end
end

${LEDGER_STEPS}
local first
local effects = {
  AFTER = function(keys, arguments)
    redis.call('SET', keys[1], arguments[1], 'PX', arguments[2])
  end,
  CLOSE = function(keys, arguments)
    first = close(keys[1], keys[2], arguments[1])
  end,
  SPEND = function(keys, arguments)
    spend(keys, 1, tonumber(arguments[1]), arguments[2])
  end,
  TAKE = function(keys, arguments)
    redis.call('HDEL', keys[1], unpack(arguments))
  end,
  KNOWN = function() end,
  WANTED = function() end,
  FILED = function() end,
  OPEN = open, STATE = change, CLAIM = claim, FILE = file, MOVE = move, NOTE = note, TOUCH = touch,
  LEDGER = ledger, LEDGER_AT = ledgerAt, LEDGER_DELIVERED = ledgerDelivered, LEDGER_FORGET = ledgerForget,
  KEEP = keep, DROP = drop, SELECTED = selected, RELIST = relist,
}
local function run(name, keys, arguments)
  if effects[name] then
    effects[name](keys, arguments)
  else
    redis.call(name, keys[1], unpack(arguments))
  end
end

local stored = redis.call('GET', KEYS[1])
if stored then
  return {'already-there', stored}
end
local steps = {}
local key = 2
local at = 4
while at <= #ARGV do
  local lastKey = key + tonumber(ARGV[at + 1]) - 1
  local last = at + 2 + tonumber(ARGV[at + 2])
  steps[#steps + 1] = {ARGV[at], {unpack(KEYS, key, lastKey)}, {unpack(ARGV, at + 3, last)}}
  key = lastKey + 1
  at = last + 1
end
local conditions = tonumber(ARGV[3])
for index = 1, conditions do
  local refusal = refusalOf(unpack(steps[index]))
  if refusal then
    return {refusal}
  end
end
for index = 1, conditions do
  run(unpack(steps[index]))
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
for index = conditions + 1, #steps do
  run(unpack(steps[index]))
end
return {'saved', first}
`);
