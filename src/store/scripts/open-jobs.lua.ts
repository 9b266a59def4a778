import { defineScript } from './run-script.ts';

/**
 * Opens a job and takes the last place of its lane, unless it has one.
 *
 * Keys: open jobs, lane. Arguments: job id, what is kept of it, 1 when it has a lane.
 */
export const OPEN_JOB = defineScript(`
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
if ARGV[3] == '1' and not redis.call('LPOS', KEYS[2], ARGV[1]) then
  redis.call('RPUSH', KEYS[2], ARGV[1])
end
return 1
`);

/** Keys: lane, open jobs. Argument: job id. Who is first, as long as the id has a place. */
export const LOOK_UP_TURN = defineScript(`
local first = redis.call('LINDEX', KEYS[1], 0)
if first == ARGV[1] or redis.call('HEXISTS', KEYS[2], ARGV[1]) == 1 or redis.call('LPOS', KEYS[1], ARGV[1]) then
  return first
end
return false
`);

/**
 * Closes a job: forgets it and gives its place up. One that is said to be done stays open without its outcome: Redis may
 * have lost that since it was saved.
 *
 * Keys: open jobs, lane, outcome. Arguments: job id, 1 when it has a lane, 1 when it is said to be done. Gives whether it
 * was closed, and who is first in the lane now.
 */
export const CLOSE_JOB = defineScript(`
if ARGV[3] == '1' and redis.call('EXISTS', KEYS[3]) == 0 then
  return {0}
end
redis.call('HDEL', KEYS[1], ARGV[1])
if ARGV[2] ~= '1' then
  return {1}
end
redis.call('LREM', KEYS[2], 1, ARGV[1])
return {1, redis.call('LINDEX', KEYS[2], 0)}
`);
