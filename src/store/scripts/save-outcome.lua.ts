import { defineScript } from './run-script.ts';

/**
 * Saves an outcome unless there is one, together with a target's new state or not at all, and takes places in lanes for
 * what follows from it: so their order is that of the outcomes.
 *
 * Keys: outcome, target, set of targets, lanes, then hashes and sets that change too. Arguments: outcome, its time to
 * live in ms, target id ('' without a state change), revision replaced, new revision, new state, number of lanes, a job id
 * for each lane, and for each of the rest what is done to it (`HSET`, `HDEL`, `SADD` or `SREM`), the field, and the value.
 */
export const SAVE_OUTCOME = defineScript(`
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
local lanes = tonumber(ARGV[7])
for index = 1, lanes do
  if not redis.call('LPOS', KEYS[3 + index], ARGV[7 + index]) then
    redis.call('RPUSH', KEYS[3 + index], ARGV[7 + index])
  end
end
local at = 8 + lanes
for index = 4 + lanes, #KEYS do
  if ARGV[at] == 'HSET' then
    redis.call('HSET', KEYS[index], ARGV[at + 1], ARGV[at + 2])
  else
    redis.call(ARGV[at], KEYS[index], ARGV[at + 1])
  end
  at = at + 3
end
return {'saved'}
`);
