import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { WorkerLoad } from '../../model/fleet/worker-record.ts';
import { deliveryAttempts, httpAttempts } from '../../model/telemetry.ts';
import type { WorkerEvent } from '../../workers/events.ts';

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
  const ends = [
    httpAttempts.subscribe(({ service, status = SERVER_ERROR, durationMs, waitedMs }) => {
      if (service !== 'insights') return;
      total.requests += 1;
      total.busyMs += durationMs;
      total.budgetMs += waitedMs;
      if (status === 429) total.limited += 1;
      if (status >= SERVER_ERROR) total.unanswered += 1;
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
