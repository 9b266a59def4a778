import { defineScript } from './run-script.ts';

/**
 * Saves an outcome unless there is one, together with a target's new state or not at all, and takes places in lanes for
 * what follows from it: so their order is that of the outcomes.
 *
 * Keys: outcome, target, set of targets, lanes. Arguments: outcome, its time to live in ms, target id ('' without a state
 * change), revision replaced, new revision, new state, a job id for each lane.
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
for index = 4, #KEYS do
  if not redis.call('LPOS', KEYS[index], ARGV[index + 3]) then
    redis.call('RPUSH', KEYS[index], ARGV[index + 3])
  end
end
return {'saved'}
`);
