import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { Logger } from 'pino';
import { packageVersion } from '../../files/package-file.ts';
import { messageOf } from '../../model/errors.ts';
import type { WorkerLoad, WorkerRecord } from '../../model/fleet/worker-record.ts';
import { dataFaults, deliveryAttempts, httpAttempts } from '../../model/telemetry.ts';
import { within } from '../../model/time-limit.ts';
import { requireLayout } from '../../store/shards/shard-layout.ts';
import type { WorkerEvent } from '../../workers/events.ts';
import type { Stores } from '../store.ts';

interface PresenceOptions {
  /** `redis.shards`. */
  readonly shards: number;
  /** `worker.lockDuration`: a worker that died counts as running for so long at least. */
  readonly lockDurationMs: number;
  readonly log: Logger;
  /** The changing part of the record of this worker. */
  readonly state: () => Pick<WorkerRecord, 'load' | 'traces' | 'faults'>;
  /** The part that does not change. */
  readonly settings: Pick<WorkerRecord, 'shards' | 'concurrency'>;
}

const LEAVE_MS = 500;
/** Short locks are for jobs: workers do not write to Redis about themselves more often. */
const LEAST_TTL_MS = 30_000;

/**
 * Notes in Redis that this worker runs, until it is closed: the number of shards is not changed meanwhile. `lost` aborts when it
 * was changed although this worker ran, because this worker could not renew its entry. Throws `shards-differ` or `shards-moving`.
 */
export async function keepPresence(
  { layouts, workers }: Pick<Stores, 'layouts' | 'workers'>,
  { shards, lockDurationMs, log, state, settings }: PresenceOptions,
) {
  const ttlMs = Math.max(LEAST_TTL_MS, lockDurationMs);
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
      await within(left, LEAVE_MS, () => {});
    },
  };
}

const PERIOD_MS = 60_000;
const NANOSECONDS = 1_000_000;
const SERVER_ERROR = 500;

type Counts = Omit<WorkerLoad, 'periodMs' | 'loopUtilization' | 'loopDelayMs' | 'memoryBytes'>;

/** Measures what this process does, until it is closed. */
export function measureLoad(now: () => number = () => performance.now()) {
  const total: { -readonly [Name in keyof Counts]: number } = {
    ...{ finished: 0, retried: 0, failed: 0, requests: 0, limited: 0, unanswered: 0 },
    ...{ busyMs: 0, budgetMs: 0, deliveries: 0, refused: 0 },
  };
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  const snapshot = () => ({ at: now(), counts: { ...total }, loop: performance.eventLoopUtilization() });
  const snapshots = [snapshot()];
  const faults = new Map<string, string>();
  const ends = [
    httpAttempts.subscribe(({ service, status = SERVER_ERROR, durationMs, waitedMs }) => {
      if (service !== 'insights') return;
      total.requests += 1;
      total.busyMs += durationMs;
      total.budgetMs += waitedMs;
      if (status === 429) total.limited += 1;
      if (status >= SERVER_ERROR) total.unanswered += 1;
    }),
    dataFaults.subscribe(({ data, reason }) => {
      if (reason === undefined) faults.delete(data);
      else faults.set(data, reason);
    }),
    deliveryAttempts.subscribe(({ result }) => {
      total.deliveries += 1;
      if (result !== 'accepted') total.refused += 1;
    }),
  ];
  return {
    onEvent({ kind }: WorkerEvent): void {
      if (kind === 'finished') total.finished += 1;
      else if (kind === 'retrying') total.retried += 1;
      else if (kind === 'failed') total.failed += 1;
    },
    /** The values that cannot be read, each with the reason. */
    faults: () => Array.from(faults, ([data, reason]) => `${data}: ${reason}`),
    /** The load of the last minute, or since the start. */
    read(): WorkerLoad {
      const current = snapshot();
      while (snapshots.length > 1 && current.at - (snapshots[1]?.at ?? 0) >= PERIOD_MS) snapshots.shift();
      const before = snapshots[0] ?? current;
      snapshots.push(current);
      const names = Object.keys(total) as (keyof Counts)[];
      const loopDelayMs = Math.round(delay.percentile(99) / NANOSECONDS);
      delay.reset();
      return {
        ...(Object.fromEntries(
          names.map((name) => [name, Math.round(current.counts[name] - before.counts[name])]),
        ) as unknown as Counts),
        periodMs: Math.round(current.at - before.at),
        loopUtilization: rounded(performance.eventLoopUtilization(current.loop, before.loop).utilization),
        loopDelayMs,
        memoryBytes: process.memoryUsage.rss(),
      };
    },
    close: (): void => {
      for (const end of ends) end();
      delay.disable();
    },
  };
}

function rounded(part: number): number {
  return Number.isFinite(part) ? Math.round(part * 1_000) / 1_000 : 0;
}
