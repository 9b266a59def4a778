import type { Change } from '../../model/scan/change.ts';
import { deliveryAttempts, endedLookUps, httpAttempts, lostSpans } from '../../model/telemetry.ts';
import type { WorkerEvent } from '../../workers/events.ts';
import type { Metrics } from './registry.ts';

/** The values that labels may have. Others are counted as `other`. */
export interface KnownLabels {
  readonly queues: readonly string[];
  readonly routes: readonly string[];
  readonly rules: readonly string[];
}

const MS = 1_000;

const SERVICES = ['insights', 'receiver', 'platform', 'source', 'contract'];
const STATUSES = ['2xx', '3xx', '4xx', '5xx', '429', 'none'];
const JOB_RESULTS = ['finished', 'retry', 'pause', 'postpone', 'failed'];
const DELIVERY_RESULTS = ['accepted', 'refused', 'failed'];
const VERDICTS = ['complete', 'incomplete', 'superseded'];

/** Counts what this process measures, until it is closed. `onEvent` receives the steps of its jobs. */
export function countProcess(metrics: Metrics, known: KnownLabels) {
  startAtZero(metrics, known);
  const [queue, route, rule] = [known.queues, known.routes, known.rules].map(bounded) as [
    Label,
    Label,
    Label,
  ];
  const ends = [
    httpAttempts.subscribe(({ service, status, durationMs, waitedMs }) => {
      metrics.requests.inc({ service, status: statusLabel(status) });
      metrics.requestSeconds.observe({ service }, durationMs / MS);
      if (waitedMs > 0) metrics.budgetSeconds.inc({ service }, waitedMs / MS);
    }),
    endedLookUps.subscribe(({ kind, outcome, from, count }) =>
      metrics.lookUps.inc({ kind, outcome, source: from }, count),
    ),
    lostSpans.subscribe(({ count }) => metrics.lostSpans.inc(count)),
    deliveryAttempts.subscribe(({ route: name, result }) =>
      metrics.deliveries.inc({ route: route(name), result }),
    ),
  ];
  return {
    onEvent(event: WorkerEvent): void {
      const name = queue(event.job);
      if (event.kind === 'started' && event.waitedMs !== undefined) {
        metrics.jobWaitSeconds.observe({ queue: name }, event.waitedMs / MS);
      } else if (event.kind === 'finished') {
        metrics.jobs.inc({ queue: name, result: 'finished' });
        metrics.jobSeconds.observe({ queue: name }, event.durationMs / MS);
        countVerdict(metrics, rule, event.result);
      } else if (event.kind === 'retrying') metrics.jobs.inc({ queue: name, result: event.how });
      else if (event.kind === 'failed') metrics.jobs.inc({ queue: name, result: 'failed' });
    },
    close: (): void => {
      for (const end of ends) end();
    },
  };
}

/** A counter that first appears with 1 has not increased for Prometheus: the first failure would raise no alert. */
function startAtZero(metrics: Metrics, { queues, routes }: KnownLabels): void {
  for (const queue of queues) for (const result of JOB_RESULTS) metrics.jobs.inc({ queue, result }, 0);
  for (const route of routes) {
    for (const result of DELIVERY_RESULTS) metrics.deliveries.inc({ route, result }, 0);
  }
  for (const service of SERVICES) for (const status of STATUSES) metrics.requests.inc({ service, status }, 0);
  for (const result of VERDICTS) metrics.verdicts.inc({ result }, 0);
  metrics.budgetSeconds.inc({ service: 'insights' }, 0);
}

type Label = (value: string) => string;

function bounded(values: readonly string[]): Label {
  const known = new Set(values);
  return (value) => (known.has(value) ? value : 'other');
}

/** 429 has its own value, because it limits all clients. */
function statusLabel(status: number | undefined): string {
  if (status === undefined) return 'none';
  return status === 429 ? '429' : `${Math.floor(status / 100)}xx`;
}

/** The result of a job that records a verdict; others have no changes. */
function countVerdict(metrics: Metrics, rule: Label, result: unknown): void {
  if (!isVerdict(result)) return;
  metrics.verdicts.inc({
    result: result.superseded ? 'superseded' : result.complete ? 'complete' : 'incomplete',
  });
  for (const { transition, finding } of result.changes) {
    metrics.changes.inc({ rule: rule(finding.rule), severity: finding.severity, transition });
  }
}

interface CountedVerdict {
  readonly changes: readonly Change[];
  readonly complete: boolean;
  readonly superseded: boolean;
}

function isVerdict(result: unknown): result is CountedVerdict {
  return typeof result === 'object' && result !== null && 'superseded' in result && 'changes' in result;
}
