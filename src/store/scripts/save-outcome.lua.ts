import { defineScript } from './run-script.ts';

/**
 * Saves an outcome unless there is one, together with a target's new state or not at all, and opens what follows from it.
 * Places in lanes are taken here, so their order is that of the outcomes.
 *
 * Keys: outcome, target, set of targets, open jobs, lanes, then hashes and sets that change too. Arguments: outcome, its
 * time to live in ms, target id ('' without a state change), revision replaced, new revision, new state, number of lanes,
 * number of jobs that follow; for each of these its id, what is kept of it, and the number of its lane (0 without); then
 * for each of the rest what is done to it (`HSET`, `HDEL`, `SADD` or `SREM`), the field, and the value.
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
local at = 9
for _ = 1, tonumber(ARGV[8]) do
  local lane = tonumber(ARGV[at + 2])
  local isNew = redis.call('HSET', KEYS[4], ARGV[at], ARGV[at + 1]) == 1
  if isNew and lane > 0 then
    redis.call('RPUSH', KEYS[4 + lane], ARGV[at])
  end
  at = at + 3
end
for index = 5 + lanes, #KEYS do
  if ARGV[at] == 'HSET' then
    redis.call('HSET', KEYS[index], ARGV[at + 1], ARGV[at + 2])
  else
    redis.call(ARGV[at], KEYS[index], ARGV[at + 1])
  end
  at = at + 3
end
return {'saved'}
`);
