import { defineScript } from './run-script.ts';
import { FILE_STEP, MOVE_STEP } from './steps.lua.ts';

/** Files a delivery. Keys and arguments: those of `FILE_STEP`. */
export const FILE_DELIVERY = defineScript(`
${FILE_STEP}
return file(KEYS, ARGV)
`);

/**
 * Adds an attempt and keeps the newest ones.
 *
 * Keys: record, attempts (list). Arguments: attempt, bound, status ('' without).
 */
export const ADD_ATTEMPT = defineScript(`
redis.call('RPUSH', KEYS[2], ARGV[1])
redis.call('LTRIM', KEYS[2], -tonumber(ARGV[2]), -1)
if ARGV[3] == '' then
  redis.call('HDEL', KEYS[1], 'lastStatus')
else
  redis.call('HSET', KEYS[1], 'lastStatus', ARGV[3])
end
return redis.call('HINCRBY', KEYS[1], 'attempts', 1)
`);

/** Moves a delivery to a state. Keys and arguments: those of `MOVE_STEP`. */
export const MOVE_DELIVERY = defineScript(`
${MOVE_STEP}
return move(KEYS, ARGV)
`);
