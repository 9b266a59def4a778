import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger } from '../../compose/logger.ts';
import { openStores } from '../../compose/store.ts';
import type { LoadedConfig } from '../../config/load.ts';
import type { ShardLayout } from '../../model/fleet/shard-layout.ts';
import { StoreError } from '../../store/errors.ts';
import type { ShardLayouts } from '../../store/shards/shard-layout.ts';
import { requireRedisUrl } from '../redis-url.ts';
import { copyOpenJobs, copyQueues, copyRejected } from './copy-jobs.ts';
import {
  copyChanges,
  copyDeliveries,
  copyDigests,
  copyOutcomes,
  copyScans,
  copyShared,
} from './copy-records.ts';
import { copySchedules } from './copy-schedules.ts';
import { copyTargets } from './copy-targets.ts';
import { createMove, dropStaged, type Move, removeSources, renameStaged } from './shard-sets.ts';

export interface MoveOptions {
  /** The new number of shards. */
  readonly to: number;
  readonly signal: AbortSignal;
  readonly onProgress: Move['onProgress'];
}

export interface MoveResult {
  readonly from: number;
  readonly to: number;
  /** `unchanged`: the number was `to` already. `cancelled`: an interrupted move was undone. */
  readonly outcome: 'moved' | 'unchanged' | 'cancelled';
}

/** Producers that read the number of shards before the move began have added their jobs after this time. */
const SETTLE_MS = 2_000;

/**
 * The `shards move` command: spreads all targets over another number of shards. Everything is copied first; then the originals are
 * deleted and the copies are put in place. It continues after an interruption at any point. Throws `StoreError` (`shards-moving`)
 * while workers run.
 */
export async function moveShards(loaded: LoadedConfig, options: MoveOptions): Promise<MoveResult> {
  requireRedisUrl(loaded);
  const stores = await openStores(loaded, createLogger(loaded));
  const [store] = stores.shards;
  try {
    if (store === undefined) throw new RangeError('there is no shard');
    // Two moves at once would undo each other's steps.
    return await store.lock.hold(
      'shards',
      (held) => moveLocked(stores.layouts, store.redis, loaded, { ...options, signal: held }),
      options.signal,
    );
  } finally {
    await stores.close();
  }
}

async function moveLocked(
  layouts: ShardLayouts,
  redis: Move['redis'],
  { config }: LoadedConfig,
  { to, signal, onProgress }: MoveOptions,
): Promise<MoveResult> {
  const before = await layouts.read();
  const from = before?.shards ?? 1;
  const pending = before?.move;
  if (pending === undefined && from === to) {
    if (before === undefined) await layouts.write({ shards: to });
    return { from, to, outcome: 'unchanged' };
  }
  if (pending !== undefined && pending.to !== to) {
    return await cancel(layouts, redis, { config, from, to, pending, onProgress });
  }
  const layout = await layouts.begin(to);
  const move = createMove(redis, { prefix: config.redis.prefix, from, to, onProgress });
  let step = layout.move?.step ?? 'copy';
  if (step === 'copy') {
    await sleep(SETTLE_MS, undefined, { signal });
    for (const copy of COPIES) {
      signal.throwIfAborted();
      await copy(move);
    }
    step = 'remove';
    await layouts.write({ shards: from, move: { to, step } });
  }
  if (step === 'remove') {
    signal.throwIfAborted();
    await removeSources(move);
    await layouts.write({ shards: from, move: { to, step: 'rename' } });
  }
  signal.throwIfAborted();
  await renameStaged(move);
  await layouts.write({ shards: to });
  return { from, to, outcome: 'moved' };
}

/** Each may be repeated. Queues come last, because producers may add jobs until the move begins. */
const COPIES: readonly ((move: Move) => Promise<void>)[] = [
  copyShared,
  copyTargets,
  copyScans,
  copyDeliveries,
  copyDigests,
  copyChanges,
  copySchedules,
  copyOutcomes,
  copyOpenJobs,
  copyQueues,
  copyRejected,
];

interface Cancelled {
  readonly config: LoadedConfig['config'];
  readonly from: number;
  readonly to: number;
  readonly pending: NonNullable<ShardLayout['move']>;
  readonly onProgress: Move['onProgress'];
}

/** Undoes a move that has only copied. */
async function cancel(
  layouts: ShardLayouts,
  redis: Move['redis'],
  { config, from, to, pending, onProgress }: Cancelled,
): Promise<MoveResult> {
  if (pending.step !== 'copy' || to !== from) {
    const cancelling = pending.step === 'copy' ? `, or cancel it with \`lockhound shards move ${from}\`` : '';
    throw new StoreError(
      'shards-moving',
      `A move from ${from} to ${pending.to} shards was interrupted: finish it with \`lockhound shards move ${pending.to}\`${cancelling}.`,
    );
  }
  await dropStaged(createMove(redis, { prefix: config.redis.prefix, from, to: pending.to, onProgress }));
  await layouts.write({ shards: from });
  return { from, to, outcome: 'cancelled' };
}
