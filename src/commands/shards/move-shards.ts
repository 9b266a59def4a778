import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger } from '../../compose/logger.ts';
import { requireRedisUrl } from '../../compose/redis-connection.ts';
import { openStores, type Store, type Stores } from '../../compose/store.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { closing } from '../../model/closing.ts';
import { StoreError } from '../../store/errors.ts';
import { createKeys, isSharedKey } from '../../store/keys.ts';
import type { RedisClient } from '../../store/redis/connection.ts';
import { isForbidden } from '../../store/redis/server-settings.ts';
import { copyQueues } from './copy-queues.ts';
import { copyRecords } from './copy-records.ts';
import { copyTargets } from './copy-targets.ts';
import { copyKey, createMove, type Move, scanKeys } from './move.ts';

export interface MoveOptions {
  /** The new number of shards. */
  readonly to: number;
  readonly signal: AbortSignal;
  readonly onProgress: Move['onProgress'];
  /** Default: producers that read the number of shards before the move began have added their jobs after this time. */
  readonly settleMs?: number;
}

export interface MoveResult {
  readonly from: number;
  readonly to: number;
  /** `unchanged`: the number was `to` already. */
  readonly outcome: 'moved' | 'unchanged';
}

const SETTLE_MS = 2_000;

/**
 * The `shards move` command: spreads all targets over another number of shards. Everything is copied to the keys of that number, one
 * write makes this number valid, and the originals are deleted. Run again after an interruption at any point, it first deletes the
 * keys of the number that is not valid. Throws `StoreError`: `shards-moving` while workers run, `refused` where the user of Redis may not
 * run `RESTORE`.
 */
export async function moveShards(loaded: LoadedConfig, options: MoveOptions): Promise<MoveResult> {
  requireRedisUrl(loaded);
  return await closing(openStores(loaded, createLogger(loaded)), (stores) => {
    const [{ lock, redis }] = stores.shards as readonly [Store, ...Store[]];
    // Two moves at once would delete each other's copies.
    return lock.hold(
      'shards',
      (held) => moveLocked(loaded, stores, redis, { ...options, signal: held }),
      options.signal,
    );
  });
}

async function moveLocked(
  { config }: LoadedConfig,
  stores: Stores,
  redis: RedisClient,
  { to, signal, onProgress, settleMs = SETTLE_MS }: MoveOptions,
): Promise<MoveResult> {
  const { layouts } = stores;
  const { prefix } = config.redis;
  const stored = await layouts.read();
  const { shards: from, move } = stored ?? { shards: 1 };
  if (from === to && move === undefined) {
    if (stored === undefined) await layouts.write({ shards: to });
    return { from, to, outcome: 'unchanged' };
  }
  if (from !== to) await requireRestore(redis, `${createKeys(prefix, { index: 0, count: to }).prefix}:right`);
  await requireNoWorkers(stores, await layouts.begin({ shards: from, move: move ?? { from, to } }));
  if (move !== undefined) {
    const invalid = from === move.from ? move.to : move.from;
    await removeShards(redis, { prefix, count: invalid, valid: from, signal, onProgress });
  }
  if (from !== to) {
    await layouts.write({ shards: from, move: { from, to } });
    await sleep(settleMs, undefined, { signal });
    const copies = createMove(redis, { prefix, from, to, storage: stores.storage, signal, onProgress });
    // Jobs come last, because producers may add some until the move begins.
    for (const copy of [copyTargets, copyRecords, copyQueues]) await copy(copies);
    signal.throwIfAborted();
    await layouts.write({ shards: to, move: { from, to } });
    await removeShards(redis, { prefix, count: from, valid: to, signal, onProgress });
  }
  await layouts.write({ shards: to });
  return { from, to, outcome: from === to ? 'unchanged' : 'moved' };
}

/** Copies a key, which the rights of a worker do not include. */
async function requireRestore(redis: RedisClient, key: string): Promise<void> {
  await redis.set(key, '1', 'PX', 60_000);
  try {
    await copyKey(redis, key, key);
  } catch (cause) {
    if (!isForbidden(cause)) throw cause;
    const reason = 'the user of Redis may not run RESTORE, by which keys are moved';
    throw new StoreError('refused', `${reason}: grant what docs/redis.md ("Rights") lists`, { cause });
  } finally {
    await redis.del(key);
  }
}

/** `running`: ids of workers. Throws `StoreError` (`shards-moving`) that names them. */
async function requireNoWorkers({ workers }: Stores, running: readonly string[]): Promise<void> {
  if (running.length === 0) return;
  const records = await workers.list();
  const names = running.map((id) => {
    const record = records.find((one) => one.record.worker === id)?.record;
    return record === undefined ? id : `${record.host} (process ${record.pid})`;
  });
  throw new StoreError(
    'shards-moving',
    `${names.length === 1 ? 'A worker runs' : `${names.length} workers run`}: ${names.join(', ')}. Stop all workers first. A ` +
      'worker that was killed counts as running until its `worker.lockDuration` is over.',
  );
}

interface Removal {
  readonly prefix: string;
  /** The number whose keys are deleted, and the one whose keys stay. */
  readonly count: number;
  readonly valid: number;
  readonly signal: AbortSignal;
  readonly onProgress: Move['onProgress'];
}

/** Deletes all keys of a number of shards, except for those that all numbers share. */
async function removeShards(
  redis: RedisClient,
  { prefix, count, valid, signal, onProgress }: Removal,
): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    onProgress('deleting', index, count);
    const { prefix: own } = createKeys(prefix, { index, count });
    for await (const found of scanKeys(redis, `${own}:*`)) {
      signal.throwIfAborted();
      const keys = found.filter((key) => !isSharedKey(prefix, key));
      if (keys.length > 0) await redis.unlink(...keys);
    }
  }
  // Several shards share the contents of lockfiles, whatever their number.
  if (valid > 1) return;
  const { blob } = createKeys(prefix, { index: 0, count: 2 });
  for await (const keys of scanKeys(redis, blob('*')))
    await Promise.all(keys.map((key) => redis.unlink(key)));
}
