import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { packageVersion } from '../../files/package-file.ts';
import { messageOf } from '../../model/errors.ts';
import type { WorkerRecord } from '../../model/fleet/worker-record.ts';
import { requireLayout } from '../../store/shards/shard-layout.ts';
import type { Stores } from '../store.ts';

interface PresenceOptions {
  /** `redis.shards`. */
  readonly shards: number;
  /** A worker that died counts as running for this long. */
  readonly ttlMs: number;
  readonly log: Logger;
  /** The changing part of the record of this worker. */
  readonly state: () => Pick<WorkerRecord, 'load' | 'traces'>;
  /** The part that does not change. */
  readonly settings: Pick<WorkerRecord, 'shards' | 'concurrency'>;
}

const LEAVE_MS = 500;

/**
 * Notes in Redis that this worker runs, until it is closed: the number of shards is not changed meanwhile. `lost` aborts when it
 * was changed although this worker ran, because this worker could not renew its entry. Throws `shards-differ` or `shards-moving`.
 */
export async function keepPresence(
  { layouts, workers }: Pick<Stores, 'layouts' | 'workers'>,
  { shards, ttlMs, log, state, settings }: PresenceOptions,
) {
  const worker = randomUUID();
  const lost = new AbortController();
  const facts = {
    ...{ worker, ...settings, host: hostname(), pid: process.pid, release: packageVersion() },
    ...{ node: process.versions.node, startedAt: new Date().toISOString() },
  };
  const describe = () => workers.write({ ...facts, seenAt: new Date().toISOString(), ...state() });
  requireLayout(await layouts.enter(worker, shards, ttlMs), shards);
  await describe();
  const renew = async (): Promise<void> => {
    const layout = await layouts.enter(worker, shards, ttlMs).catch((error: unknown) => {
      log.warn({ error: messageOf(error) }, 'the presence of this worker could not be renewed');
    });
    await describe().catch((error: unknown) => {
      log.warn({ error: messageOf(error) }, 'the record of this worker could not be written');
    });
    try {
      requireLayout(layout ?? undefined, shards);
    } catch (error) {
      log.fatal({ error: messageOf(error) }, 'the number of shards was changed: this worker stops');
      clearInterval(timer);
      lost.abort(error);
    }
  };
  let renewing = false;
  const timer = setInterval(async () => {
    // While Redis is away, commands wait: more of them would only fill the memory.
    if (renewing) return;
    renewing = true;
    await renew();
    renewing = false;
  }, ttlMs / 3);
  return {
    lost: lost.signal,
    async close(): Promise<void> {
      clearInterval(timer);
      // Without an answer of Redis the entry expires.
      const left = Promise.all([layouts.leave(worker), workers.remove(worker)]).catch(() => {});
      await Promise.race([left, sleep(LEAVE_MS, undefined, { ref: false })]);
    },
  };
}
