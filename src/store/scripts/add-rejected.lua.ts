import { defineScript } from './run-script.ts';

/**
 * Keeps a rejected payload and drops the oldest beyond a bound.
 *
 * Keys: payloads (hash), their order (sorted set). Arguments: name, time in ms, payload, bound.
 */
export const ADD_REJECTED = defineScript(`
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
redis.call('ZADD', KEYS[2], ARGV[2], ARGV[1])
local excess = redis.call('ZCARD', KEYS[2]) - tonumber(ARGV[4])
if excess > 0 then
  local oldest = redis.call('ZRANGE', KEYS[2], 0, excess - 1)
  for _, name in ipairs(oldest) do
    redis.call('HDEL', KEYS[1], name)
    redis.call('ZREM', KEYS[2], name)
  end
end
return redis.call('ZCARD', KEYS[2])
`);
