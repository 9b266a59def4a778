import { defineScript } from './run-script.ts';

/**
 * Puts a delivery's record away, unless there is one that holds its notification already.
 *
 * Keys: record (hash), open deliveries. Arguments: id, time in ms, then fields and values.
 */
export const FILE_DELIVERY = defineScript(`
if redis.call('HEXISTS', KEYS[1], 'notification') == 1 then
  return 0
end
redis.call('HSETNX', KEYS[1], 'state', 'waiting')
redis.call('HSETNX', KEYS[1], 'filedAt', ARGV[2])
redis.call('HSETNX', KEYS[1], 'updatedAt', ARGV[2])
redis.call('HSETNX', KEYS[1], 'attempts', '0')
redis.call('HSET', KEYS[1], unpack(ARGV, 3))
if redis.call('HGET', KEYS[1], 'state') == 'waiting' then
  redis.call('ZADD', KEYS[2], ARGV[2], ARGV[1])
end
return 1
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

/**
 * Moves a delivery to a state. What is delivered stays so, and is forgotten after its retention; nothing else ever is.
 *
 * Keys: record, attempts, open deliveries, failed ones, delivered ones. Arguments: id, time in ms, state, reason ('' for
 * none), time of the next attempt in ms ('' for none), retention in ms, then fields and values that identify it.
 */
export const MOVE_DELIVERY = defineScript(`
local before = redis.call('HGET', KEYS[1], 'state')
if before == 'delivered' then
  return before
end
local state = ARGV[3]
for index = 7, #ARGV, 2 do
  redis.call('HSETNX', KEYS[1], ARGV[index], ARGV[index + 1])
end
redis.call('HSETNX', KEYS[1], 'filedAt', ARGV[2])
redis.call('HSET', KEYS[1], 'state', state, 'reason', ARGV[4], 'nextAttemptAt', ARGV[5])
if before == state and state ~= 'retrying' then
  return state
end
redis.call('HSET', KEYS[1], 'updatedAt', ARGV[2])
for index = 3, 5 do
  redis.call('ZREM', KEYS[index], ARGV[1])
end
if state == 'delivered' then
  local oldest = tonumber(ARGV[2]) - tonumber(ARGV[6])
  redis.call('ZREMRANGEBYSCORE', KEYS[5], '-inf', oldest)
  redis.call('ZADD', KEYS[5], ARGV[2], ARGV[1])
  redis.call('PEXPIRE', KEYS[1], ARGV[6])
  redis.call('PEXPIRE', KEYS[2], ARGV[6])
elseif state == 'failed' then
  redis.call('ZADD', KEYS[4], ARGV[2], ARGV[1])
else
  redis.call('ZADD', KEYS[3], ARGV[2], ARGV[1])
end
return state
`);
