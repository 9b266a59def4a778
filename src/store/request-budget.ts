import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../model/errors.ts';
import type { RequestBudget } from '../model/ports/shared-state.ts';
import { raceAbort } from '../model/time-limit.ts';
import { StoreError } from './errors.ts';
import type { Keys } from './keys.ts';
import type { RedisClient } from './redis/connection.ts';
import { defineScript, runScript, type Script } from './scripts/run-script.ts';

export interface RequestBudgetOptions {
  /** Budgets of different names are independent. */
  readonly name: string;
  readonly perSecond: number;
  /** In [0, 1). */
  readonly random?: () => number;
}

/** Time slots are reserved at most this far ahead, because a caller that aborts leaves its slot unused. */
const MAX_AHEAD_MS = 1_000;
const SECOND_US = 1_000_000;

/**
 * A budget that all processes on this Redis share: requests are spaced evenly over each second. Processes wait here, not in
 * Redis, so commands of others are not delayed.
 */
export function createRequestBudget(
  redis: RedisClient,
  keys: Keys,
  { name, perSecond, random = Math.random }: RequestBudgetOptions,
): RequestBudget {
  const key = keys.budget(name);
  const take = () => ask(redis, TAKE_REQUEST, key, [Math.round(SECOND_US / perSecond), MAX_AHEAD_MS * 1_000]);
  return {
    async take(signal) {
      for (;;) {
        signal?.throwIfAborted();
        const waitMs = (await raceAbort(take(), signal)) / 1_000;
        if (waitMs >= 0) return pauseFor(waitMs, signal);
        // The slot is too far ahead. Asks again when it may be closer, after a random wait, so that callers do not ask
        // together.
        await pauseFor(Math.min(-waitMs - MAX_AHEAD_MS / 2, MAX_AHEAD_MS) * (0.5 + random() / 2), signal);
      }
    },
    async pause(ms) {
      await ask(redis, PAUSE_REQUESTS, key, [Math.round(ms * 1_000)]);
    },
  };
}

async function ask(
  redis: RedisClient,
  script: Script,
  key: string,
  args: readonly number[],
): Promise<number> {
  try {
    return Number(await runScript(redis, script, [key], args));
  } catch (cause) {
    throw new StoreError(
      'unreachable',
      `the shared request budget cannot be read from Redis: ${messageOf(cause)}`,
      {
        cause,
        retryable: true,
      },
    );
  }
}

async function pauseFor(ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (ms < 1) return;
  await raceAbort(sleep(ms, undefined, { signal }), signal);
}

/*
 * The budget is one number: when the next request is due, in microseconds of the server's clock (GCRA without bursts).
 * It is formatted in full, because Lua would round it.
 */

/**
 * Key: when the next request is due. Arguments: time between two requests and furthest slot, in µs. Returns the wait in µs
 * for the reserved slot; or the wait as a negative number when the slot is too far ahead and was not reserved.
 */
const TAKE_REQUEST = defineScript(`
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
const PAUSE_REQUESTS = defineScript(`
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local due = math.max(tonumber(redis.call('GET', KEYS[1]) or '0'), now + ARGV[1])
redis.call('SET', KEYS[1], string.format('%.0f', due), 'PX', math.ceil((due - now) / 1000) + 1)
return due - now
`);
