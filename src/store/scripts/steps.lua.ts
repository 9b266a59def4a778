/** Deliveries that the list of a target has. */
const LISTED = 20;

/**
 * Lua function `file(keys, arguments)`: files a delivery with its notification, unless it is filed already. Its job then has to run: an
 * outcome that exists is about another content, which was sent before Redis lost the verdict that it followed from. The time at which it
 * is filed is that of Redis: clocks of workers differ, and deliveries of one target are sent again in the order in which they were filed.
 *
 * Keys: record (hash), notification (hash), open deliveries, deliveries of the target (list), outcome of its job (optional). Arguments: id, time in ms, number of arguments that hold the
 * notification, these, then fields and values of the record.
 */
export const FILE_STEP = `
local function file(keys, arguments)
  local id, time = arguments[1], arguments[2]
  local state = redis.call('HGET', keys[1], 'state')
  if state == 'delivered' or redis.call('EXISTS', keys[2]) == 1 then
    return 0
  end
  local clock = redis.call('TIME')
  local filedAt = clock[1] * 1000 + math.floor(clock[2] / 1000)
  for _, initial in ipairs({{'state', 'waiting'}, {'filedAt', filedAt}, {'updatedAt', time}, {'attempts', '0'}}) do
    redis.call('HSETNX', keys[1], initial[1], initial[2])
  end
  if keys[5] then
    redis.call('DEL', keys[5])
  end
  local last = 3 + tonumber(arguments[3])
  redis.call('HSET', keys[2], unpack(arguments, 4, last))
  redis.call('HSET', keys[1], unpack(arguments, last + 1))
  if (state or 'waiting') == 'waiting' then
    redis.call('ZADD', keys[3], time, id)
  end
  redis.call('LREM', keys[4], 0, id)
  redis.call('LPUSH', keys[4], id)
  redis.call('LTRIM', keys[4], 0, ${LISTED - 1})
  return 1
end`;

/**
 * Lua function `note(keys, arguments)`: adds fields to a scan's record, replaces a record that is damaged, and drops the
 * oldest records beyond a number and an age. A scan that has ended stays so: Redis may have lost the outcome of its first job, and keeps
 * that of the last one, which then does not run again.
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
  local added = cjson.decode(arguments[3])
  if added.state == 'running' and (record.state == 'concluded' or record.state == 'superseded') then
    added.state = nil
  end
  for name, value in pairs(added) do
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

/**
 * Lua functions `keep(keys, arguments)` and `drop(keys, arguments)`: one more target, or one less, has an inventory. An
 * inventory that no target has is removed.
 *
 * Keys: uses (hash), id lists (hash), inventory. Arguments: hash, and for `keep` ids and inventory.
 */
export const KEEP_STEPS = `
local function keep(keys, arguments)
  if redis.call('HINCRBY', keys[1], arguments[1], 1) == 1 then
    redis.call('HSET', keys[2], arguments[1], arguments[2])
    redis.call('SET', keys[3], arguments[3])
  end
end
local function drop(keys, arguments)
  if redis.call('HINCRBY', keys[1], arguments[1], -1) < 1 then
    redis.call('HDEL', keys[1], arguments[1])
    redis.call('HDEL', keys[2], arguments[1])
    redis.call('DEL', keys[3])
  end
end`;

/**
 * Lua functions `selected(keys, arguments)` and `relist(keys, arguments)`: facts are no longer pending unless they changed
 * again; facts that changed since a time are pending again.
 *
 * Keys: pending facts (sorted set), and for `relist` before it the changed ones (sorted set). Arguments: for `selected` fact and
 * time of its change in turn, for `relist` the time in ms.
 */
export const PENDING_STEPS = `
local function selected(keys, arguments)
  for at = 1, #arguments, 2 do
    local time = redis.call('ZSCORE', keys[1], arguments[at])
    if time and tonumber(time) == tonumber(arguments[at + 1]) then
      redis.call('ZREM', keys[1], arguments[at])
    end
  end
end
local function relist(keys, arguments)
  local changed = redis.call('ZRANGEBYSCORE', keys[1], arguments[1], '+inf', 'WITHSCORES')
  for at = 1, #changed, 2 do
    redis.call('ZADD', keys[2], 'NX', changed[at + 1], changed[at])
  end
end`;

/**
 * Lua function `move(keys, arguments)`: moves a delivery to a state. A delivered one does not change, loses its notification and
 * expires after its retention; others never expire. One that is not filed can only be delivered: Redis has lost the verdict that it
 * follows from, and the delivery is filed with that verdict again. The record of its scan counts deliveries.
 *
 * Keys: record, attempts, open deliveries, failed ones, delivered ones, notification, records of scans. Arguments: id, time
 * in ms, state, reason ('' without), time of the next attempt in ms ('' without), retention in ms, scan, then fields and
 * values that identify it.
 */
export const MOVE_STEP = `
local function move(keys, arguments)
  local function count(field, by)
    local text = redis.call('HGET', keys[7], arguments[7])
    local readable, record = pcall(cjson.decode, text or '')
    if readable and type(record) == 'table' then
      -- Redis may have lost the record of the scan, and what was counted in it.
      record[field] = math.max(0, (record[field] or 0) + by)
      redis.call('HSET', keys[7], arguments[7], cjson.encode(record))
    end
  end

  local before = redis.call('HGET', keys[1], 'state')
  local state = arguments[3]
  if before == 'delivered' or (not before and state ~= 'delivered') then
    return before
  end
  for index = 8, #arguments, 2 do
    redis.call('HSETNX', keys[1], arguments[index], arguments[index + 1])
  end
  redis.call('HSETNX', keys[1], 'filedAt', arguments[2])
  redis.call('HSET', keys[1], 'state', state, 'reason', arguments[4], 'nextAttemptAt', arguments[5])
  if before == state and state ~= 'retrying' then
    return state
  end
  redis.call('HSET', keys[1], 'updatedAt', arguments[2])
  if before == 'failed' and state ~= before then
    count('failedDeliveries', -1)
  end
  for index = 3, 5 do
    redis.call('ZREM', keys[index], arguments[1])
  end
  if state == 'delivered' then
    count('delivered', 1)
    redis.call('DEL', keys[6])
    local oldest = tonumber(arguments[2]) - tonumber(arguments[6])
    redis.call('ZREMRANGEBYSCORE', keys[5], '-inf', oldest)
    redis.call('ZADD', keys[5], arguments[2], arguments[1])
    redis.call('PEXPIRE', keys[1], arguments[6])
    redis.call('PEXPIRE', keys[2], arguments[6])
  elseif state == 'failed' then
    if before ~= state then
      count('failedDeliveries', 1)
    end
    redis.call('ZADD', keys[4], arguments[2], arguments[1])
  else
    redis.call('ZADD', keys[3], arguments[2], arguments[1])
  end
  return state
end`;

/**
 * Lua functions of jobs that are done. `close(openJobs, lane, id)` forgets a job, releases its place in a lane, if it has one, and
 * returns the first job of the lane.
 *
 * `spend(keys, from, marked, ms)` frees outcomes: pairs of a marked outcome and where its value stays for `ms`, then removed ones.
 * The marker of an outcome keeps its job from running again.
 */
export const CLOSE_STEPS = `
local function close(openJobs, lane, id)
  redis.call('HDEL', openJobs, id)
  if lane then
    redis.call('LREM', lane, 1, id)
    return redis.call('LINDEX', lane, 0)
  end
end
local function spend(keys, from, marked, ms)
  local removed = from + 2 * marked
  for at = from, removed - 1, 2 do
    local left = redis.call('PTTL', keys[at])
    if left > 0 and redis.call('STRLEN', keys[at]) > 0 then
      redis.call('RENAME', keys[at], keys[at + 1])
      redis.call('PEXPIRE', keys[at + 1], math.min(left, tonumber(ms)))
      redis.call('SET', keys[at], '', 'PX', left)
    end
  end
  for at = removed, #keys do
    redis.call('UNLINK', keys[at])
  end
end`;

/**
 * Lua functions `isOf(key, type)`: whether a key has a type or is absent, as a command on one of another type would end the script; and
 * `unuse(ledger, first, last, unused)`: lists the objects that elements of a ledger refer to as unused (`fleet/ledger-archive.ts`), before they are dropped.
 */
export const UNUSE_STEP = `
local function isOf(key, type)
  local found = redis.call('TYPE', key).ok
  return found == type or found == 'none'
end

local function unuse(ledger, first, last, unused)
  if not isOf(ledger, 'list') then
    return
  end
  for _, element in ipairs(redis.call('LRANGE', ledger, first, last)) do
    local object = string.match(element, '^archived:.*"object":"(%x+)"')
    if object then
      redis.call('HSET', unused, object, 0)
    end
  end
end`;

/**
 * Lua functions of the ledger of a target (`fleet/ledger-writer.ts`), with keys and arguments:
 * - `ledgerAt`, key: target. Arguments: the revision up to which the ledger has to be complete, or '', and the new one.
 * - `ledger`, keys: ledger, unused objects. Arguments: an entry; where it fills a block, also the block of the last entries with this one, the first and
 *   the last element that stay before the block, and the number of elements with which this is true.
 * - `ledgerDelivered`, keys: target, ledger. Arguments: an entry, for a target that has a ledger.
 * - `ledgerForget`, keys: target, ledger, unused objects, heads of ledgers (hashes). Arguments: target id.
 *
 * A damaged ledger stays as it is, and keeps no outcome from being saved.
 */
export const LEDGER_STEPS = `${UNUSE_STEP}
local function ledgerAt(keys, arguments)
  if arguments[1] == '' or redis.call('HGET', keys[1], 'ledger') == arguments[1] then
    redis.call('HSET', keys[1], 'ledger', arguments[2])
  end
end

local function ledger(keys, arguments)
  local entry, block, firstKept, lastKept, length = unpack(arguments)
  if not isOf(keys[1], 'list') then
    return
  end
  if block and redis.call('LLEN', keys[1]) == tonumber(length) then
    if tonumber(firstKept) > 0 then
      unuse(keys[1], 0, tonumber(firstKept) - 1, keys[2])
    end
    if tonumber(lastKept) < tonumber(firstKept) then
      redis.call('DEL', keys[1])
    else
      redis.call('LTRIM', keys[1], firstKept, lastKept)
    end
    redis.call('RPUSH', keys[1], block)
  else
    redis.call('RPUSH', keys[1], entry)
  end
end

local function ledgerDelivered(keys, arguments)
  if redis.call('HEXISTS', keys[1], 'ledger') == 1 and isOf(keys[2], 'list') then
    redis.call('RPUSH', keys[2], arguments[1])
  end
end

local function ledgerForget(keys, arguments)
  redis.call('HDEL', keys[1], 'ledger')
  unuse(keys[2], 0, -1, keys[3])
  redis.call('DEL', keys[2])
  for at = 4, #keys do
    if isOf(keys[at], 'hash') then
      redis.call('HDEL', keys[at], arguments[1])
    end
  end
end`;
