import { defineScript } from './run-script.ts';

/**
 * Stores fields of a hash, and removes those that were stored longest ago when there are too many.
 *
 * Keys: hash, its fields by the time when they were stored last (sorted set). Arguments: time in ms, largest number, then fields and
 * values in turn.
 */
export const PUT_NEWEST = defineScript(`
for at = 3, #ARGV, 2 do
  redis.call('HSET', KEYS[1], ARGV[at], ARGV[at + 1])
  redis.call('ZADD', KEYS[2], ARGV[1], ARGV[at])
end
local excess = redis.call('ZCARD', KEYS[2]) - tonumber(ARGV[2])
if excess > 0 then
  for _, field in ipairs(redis.call('ZRANGE', KEYS[2], 0, excess - 1)) do
    redis.call('HDEL', KEYS[1], field)
    redis.call('ZREM', KEYS[2], field)
  end
end
return 1
`);
