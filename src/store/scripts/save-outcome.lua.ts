import { defineScript } from './run-script.ts';
import { CLOSE_STEPS, FILE_STEP, KEEP_STEPS, MOVE_STEP, NOTE_STEP, PENDING_STEPS } from './steps.lua.ts';

/**
 * Saves an outcome unless there is one, together with a target's new state and a claim or not at all, and with its effects: jobs that
 * follow are opened and get their places in lanes (in the order of the outcomes), deliveries are filed, digests and the
 * scan's record change. A job without follow-ups is closed. Returns `saved` and the first job of its lane.
 *
 * Keys: outcome, target, set of targets, claim, identities of packages by id, then those of the steps. Arguments: outcome, its time to live in ms, target id
 * ('' without a state change), revision replaced, new revision, new state, holder of the claim ('' without one), its time to live
 * in ms (0 releases it), the holder that it may replace ('' without one), 'held' when it only renews a claim, the newest package id of the inventories ('' without one) and its identity, then the steps: name,
 * number of keys, number of arguments, arguments. `ids-lost`: Redis has lost that id since it was given out. A name without a function here is a command of Redis on one key.
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

local stored = redis.call('GET', KEYS[1])
if stored then
  return {'already-there', stored}
end
local holder = ARGV[7] ~= '' and redis.call('GET', KEYS[4])
if holder and holder ~= ARGV[7] and holder ~= ARGV[9] then
  return {'state-moved'}
end
if ARGV[11] ~= '' and redis.call('HGET', KEYS[5], ARGV[11]) ~= ARGV[12] then
  return {'ids-lost'}
end
if ARGV[3] ~= '' then
  local revision = redis.call('HGET', KEYS[2], 'revision') or '0'
  if revision ~= ARGV[4] then
    return {'state-moved'}
  end
  redis.call('HSET', KEYS[2], 'revision', ARGV[5], 'state', ARGV[6])
  redis.call('SADD', KEYS[3], ARGV[3])
end
if ARGV[7] ~= '' then
  if ARGV[8] == '0' then
    redis.call('DEL', KEYS[4])
  elseif holder or ARGV[10] ~= 'held' then
    redis.call('SET', KEYS[4], ARGV[7], 'PX', ARGV[8])
  end
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
local first
local key = 6
local at = 13
while at <= #ARGV do
  local name = ARGV[at]
  local lastKey = key + tonumber(ARGV[at + 1]) - 1
  local last = at + 2 + tonumber(ARGV[at + 2])
  local keys = {unpack(KEYS, key, lastKey)}
  local arguments = {unpack(ARGV, at + 3, last)}
  if name == 'OPEN' then
    open(keys, arguments)
  elseif name == 'FILE' then
    file(keys, arguments)
  elseif name == 'MOVE' then
    move(keys, arguments)
  elseif name == 'CLOSE' then
    first = close(keys[1], keys[2], arguments[1])
  elseif name == 'SPEND' then
    spend(keys, 1, tonumber(arguments[1]), arguments[2])
  elseif name == 'NOTE' then
    note(keys, arguments)
  elseif name == 'TOUCH' then
    touch(keys, arguments)
  elseif name == 'KEEP' then
    keep(keys, arguments)
  elseif name == 'DROP' then
    drop(keys, arguments)
  elseif name == 'SELECTED' then
    selected(keys, arguments)
  elseif name == 'RELIST' then
    relist(keys, arguments)
  else
    redis.call(name, keys[1], unpack(arguments))
  end
  key = lastKey + 1
  at = last + 1
end
return {'saved', first}
`);
