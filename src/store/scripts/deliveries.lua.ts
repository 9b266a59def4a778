import { defineScript } from './run-script.ts';
import { FILE_STEP } from './steps.lua.ts';

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

/**
 * Moves a delivery to a state. A delivered one does not change, loses its notification and expires after its retention;
 * others never expire. The record of its scan counts deliveries.
 *
 * Keys: record, attempts, open deliveries, failed ones, delivered ones, notification, records of scans. Arguments: id, time
 * in ms, state, reason ('' without), time of the next attempt in ms ('' without), retention in ms, scan, then fields and
 * values that identify it.
 */
export const MOVE_DELIVERY = defineScript(`
local function count(field, by)
  local text = redis.call('HGET', KEYS[7], ARGV[7])
  local readable, record = pcall(cjson.decode, text or '')
  if readable and type(record) == 'table' then
    record[field] = (record[field] or 0) + by
    redis.call('HSET', KEYS[7], ARGV[7], cjson.encode(record))
  end
end

local before = redis.call('HGET', KEYS[1], 'state')
if before == 'delivered' then
  return before
end
local state = ARGV[3]
for index = 8, #ARGV, 2 do
  redis.call('HSETNX', KEYS[1], ARGV[index], ARGV[index + 1])
end
redis.call('HSETNX', KEYS[1], 'filedAt', ARGV[2])
redis.call('HSET', KEYS[1], 'state', state, 'reason', ARGV[4], 'nextAttemptAt', ARGV[5])
if before == state and state ~= 'retrying' then
  return state
end
redis.call('HSET', KEYS[1], 'updatedAt', ARGV[2])
if before == 'failed' and state ~= before then
  count('failedDeliveries', -1)
end
for index = 3, 5 do
  redis.call('ZREM', KEYS[index], ARGV[1])
end
if state == 'delivered' then
  count('delivered', 1)
  redis.call('DEL', KEYS[6])
  redis.call('HDEL', KEYS[1], 'notification')
  local oldest = tonumber(ARGV[2]) - tonumber(ARGV[6])
  redis.call('ZREMRANGEBYSCORE', KEYS[5], '-inf', oldest)
  redis.call('ZADD', KEYS[5], ARGV[2], ARGV[1])
  redis.call('PEXPIRE', KEYS[1], ARGV[6])
  redis.call('PEXPIRE', KEYS[2], ARGV[6])
elseif state == 'failed' then
  if before ~= state then
    count('failedDeliveries', 1)
  end
  redis.call('ZADD', KEYS[4], ARGV[2], ARGV[1])
else
  redis.call('ZADD', KEYS[3], ARGV[2], ARGV[1])
end
return state
`);
