import { defineScript } from './run-script.ts';

/*
 * The budget is one number: when the next request is due, in microseconds of the server's clock (GCRA without bursts).
 * It is written out in full, as Lua would round it.
 */

/**
 * Key: when the next request is due. Arguments: time between two requests and furthest appointment, in µs. Gives the time
 * to wait in µs for the appointment that is now taken; or, as a negative number, how far off it would have been: then it is
 * not taken.
 */
export const TAKE_REQUEST = defineScript(`
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local due = math.max(tonumber(redis.call('GET', KEYS[1]) or '0'), now)
local wait = due - now
if wait > tonumber(ARGV[2]) then
  return -wait
end
local following = due + ARGV[1]
redis.call('SET', KEYS[1], string.format('%.0f', following), 'PX', math.ceil((following - now) / 1000) + 1)
return wait
`);

/** Key: when the next request is due. Argument: how long nothing is due, in µs. */
export const PAUSE_REQUESTS = defineScript(`
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local due = math.max(tonumber(redis.call('GET', KEYS[1]) or '0'), now + ARGV[1])
redis.call('SET', KEYS[1], string.format('%.0f', due), 'PX', math.ceil((due - now) / 1000) + 1)
return due - now
`);
