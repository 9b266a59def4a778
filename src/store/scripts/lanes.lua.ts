import { defineScript } from './run-script.ts';

/** Key: lane (list). Argument: job id. Takes the last place, unless it has one. */
export const TAKE_PLACE = defineScript(`
if not redis.call('LPOS', KEYS[1], ARGV[1]) then
  redis.call('RPUSH', KEYS[1], ARGV[1])
end
return 1
`);

/** Key: lane. Argument: job id. Who is first, as long as the id has a place. */
export const LOOK_UP_TURN = defineScript(`
local first = redis.call('LINDEX', KEYS[1], 0)
if first == ARGV[1] or redis.call('LPOS', KEYS[1], ARGV[1]) then
  return first
end
return false
`);

/** Key: lane. Argument: job id. Who is first without it. */
export const LEAVE_LANE = defineScript(`
redis.call('LREM', KEYS[1], 1, ARGV[1])
return redis.call('LINDEX', KEYS[1], 0)
`);
