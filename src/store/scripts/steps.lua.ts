/**
 * Lua function `file(keys, arguments)`: files a delivery with its notification, unless it is filed already.
 *
 * Keys: record (hash), notification (hash), open deliveries. Arguments: id, time in ms, number of arguments that hold the
 * notification, these, then fields and values of the record.
 */
export const FILE_STEP = `
local function file(keys, arguments)
  local id, time = arguments[1], arguments[2]
  local state = redis.call('HGET', keys[1], 'state')
  if state == 'delivered' or redis.call('EXISTS', keys[2]) == 1 then
    return 0
  end
  for _, initial in ipairs({{'state', 'waiting'}, {'filedAt', time}, {'updatedAt', time}, {'attempts', '0'}}) do
    redis.call('HSETNX', keys[1], initial[1], initial[2])
  end
  local last = 3 + tonumber(arguments[3])
  redis.call('HSET', keys[2], unpack(arguments, 4, last))
  redis.call('HSET', keys[1], unpack(arguments, last + 1))
  if (state or 'waiting') == 'waiting' then
    redis.call('ZADD', keys[3], time, id)
  end
  return 1
end`;

/**
 * Lua function `note(keys, arguments)`: adds fields to a scan's record, replaces a record that is damaged, and drops the
 * oldest records beyond a number and an age.
 *
 * Keys: records (hash), their order (sorted set). Arguments: scan, time in ms, fields (JSON), most records, longest age in
 * ms.
 */
export const NOTE_STEP = `
local function note(keys, arguments)
  local scan, time = arguments[1], tonumber(arguments[2])
  local readable, record = pcall(cjson.decode, redis.call('HGET', keys[1], scan) or '{}')
  if not readable or type(record) ~= 'table' then
    record = {}
  end
  for name, value in pairs(cjson.decode(arguments[3])) do
    record[name] = value
  end
  redis.call('HSET', keys[1], scan, cjson.encode(record))
  redis.call('ZADD', keys[2], 'NX', time, scan)
  local function drop(scans)
    for _, one in ipairs(scans) do
      redis.call('HDEL', keys[1], one)
      redis.call('ZREM', keys[2], one)
    end
  end
  drop(redis.call('ZRANGEBYSCORE', keys[2], '-inf', time - tonumber(arguments[5]), 'LIMIT', 0, 100))
  local excess = redis.call('ZCARD', keys[2]) - tonumber(arguments[4])
  if excess > 0 then
    drop(redis.call('ZRANGE', keys[2], 0, excess - 1))
  end
end`;
