import { defineScript } from './run-script.ts';

/** Key: lock. Argument: the holder's token. Lets go only of one's own lock. */
export const RELEASE_LOCK = defineScript(`
if redis.call('GET', KEYS[1]) == ARGV[1] then
  return redis.call('DEL', KEYS[1])
end
return 0
`);

/** Key: lock. Arguments: the holder's token, time to live in ms. 0 when the lock is no longer one's own. */
export const RENEW_LOCK = defineScript(`
if redis.call('GET', KEYS[1]) == ARGV[1] then
  return redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return 0
`);
