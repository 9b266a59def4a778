import { defineScript } from './run-script.ts';
import { FILE_STEP, NOTE_STEP } from './steps.lua.ts';

/**
 * Saves an outcome unless there is one, together with a target's new state or not at all, and with its effects: jobs that
 * follow are opened and get their places in lanes (in the order of the outcomes), deliveries are filed, digests and the
 * scan's record change.
 *
 * Keys: outcome, target, set of targets, then those of the steps. Arguments: outcome, its time to live in ms, target id
 * ('' without a state change), revision replaced, new revision, new state, then the steps: name, number of keys, number of
 * arguments, arguments. A name without a function here is a command of Redis on one key.
 */
export const SAVE_OUTCOME = defineScript(`
${FILE_STEP}
${NOTE_STEP}
local function open(keys, arguments)
  local isNew = redis.call('HSET', keys[1], arguments[1], arguments[2]) == 1
  if isNew and keys[2] then
    redis.call('RPUSH', keys[2], arguments[1])
  end
end

local stored = redis.call('GET', KEYS[1])
if stored then
  return {'already-there', stored}
end
if ARGV[3] ~= '' then
  local revision = redis.call('HGET', KEYS[2], 'revision') or '0'
  if revision ~= ARGV[4] then
    return {'state-moved'}
  end
  redis.call('HSET', KEYS[2], 'revision', ARGV[5], 'state', ARGV[6])
  redis.call('SADD', KEYS[3], ARGV[3])
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
local key = 4
local at = 7
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
  elseif name == 'NOTE' then
    note(keys, arguments)
  else
    redis.call(name, keys[1], unpack(arguments))
  end
  key = lastKey + 1
  at = last + 1
end
return {'saved'}
`);

/**
 * Marks outcomes that no job reads any longer: the marker keeps the job from running again, the value stays readable for
 * some time.
 *
 * Keys: pairs of outcome and where its value stays. Argument: how long, in ms. Returns the number of marked outcomes.
 */
export const MARK_OUTCOMES = defineScript(`
local marked = 0
for index = 1, #KEYS, 2 do
  local left = redis.call('PTTL', KEYS[index])
  if left > 0 and redis.call('STRLEN', KEYS[index]) > 0 then
    redis.call('RENAME', KEYS[index], KEYS[index + 1])
    redis.call('PEXPIRE', KEYS[index + 1], math.min(left, tonumber(ARGV[1])))
    redis.call('SET', KEYS[index], '', 'PX', left)
    marked = marked + 1
  end
end
return marked
`);
