import { within } from '../../model/time-limit.ts';
import type { FleetNumbers, RefreshNumbers } from './fleet-numbers.ts';
import type { Metrics } from './registry.ts';

export interface ScrapeOptions {
  /** The numbers of all workers. Rejects when Redis cannot answer. */
  readonly read: () => Promise<FleetNumbers>;
  /** Values of the label `rule`; others are reported as `other`. */
  readonly rules: readonly string[];
  /** Time limit for reading. Default 3,000 ms. */
  readonly limitMs?: number;
}

const MS = 1_000;

/**
 * Returns a function that renders all metrics. Values of Redis are read once for concurrent scrapes. When Redis does not answer in
 * time, they are left out, `lockhound_redis_up` is 0, and nothing else is asked of Redis until it has answered.
 */
export function createScrape(metrics: Metrics, { read, rules, limitMs = 3_000 }: ScrapeOptions) {
  const known = new Set(rules);
  let reading: Promise<FleetNumbers> | undefined;
  let rendering: Promise<string> | undefined;
  const readOnce = (): Promise<FleetNumbers> => {
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
  };
  const render = async (): Promise<string> => {
    const started = performance.now();
    resetFleet(metrics);
    try {
      setFleet(metrics, await within(readOnce(), limitMs), known);
    } catch {
      metrics.redisUp.set(0);
      metrics.scrapeFailures.inc();
    }
    metrics.scrapeSeconds.set((performance.now() - started) / MS);
    return await metrics.registry.metrics();
  };
  return (): Promise<string> => {
    rendering ??= render().finally(() => {
      rendering = undefined;
    });
    return rendering;
  };
}

/** Values of an earlier scrape must not remain. */
function resetFleet(metrics: Metrics): void {
  const { redisBytes, redisLimit, queueJobs, queueOldest, openFindings, staleTargets } = metrics;
  const { refreshStarted, refreshSeconds, refreshLookUps, refreshParts } = metrics;
  for (const one of [redisBytes, redisLimit, queueJobs, queueOldest, openFindings, staleTargets]) one.reset();
  for (const one of [refreshStarted, refreshSeconds, refreshLookUps, refreshParts]) one.reset();
  for (const name of PLAIN) metrics[name].remove();
}

/** The gauges without labels. */
const PLAIN = [
  ...(['workers', 'openJobs', 'targets', 'incompleteTargets', 'failingSources', 'openDeliveries'] as const),
  ...([
    'oldestDelivery',
    'failedDeliveries',
    'stoppedRoutes',
    'rejectedPayloads',
    'unreadableValues',
  ] as const),
  ...(['archiveSuccess', 'archiveFailed', 'archiveWaiting'] as const),
  ...(['oldestAnswer', 'staleFacts', 'targetsWithStaleFacts'] as const),
];

function setFleet(metrics: Metrics, numbers: FleetNumbers, rules: ReadonlySet<string>): void {
  const { servers, queues, counts, stoppedRoutes, unreadable, refreshes, freshness, targets } = numbers;
  metrics.redisUp.set(1);
  for (const { node, usedBytes, limitBytes } of servers) {
    metrics.redisBytes.set({ node }, usedBytes);
    if (limitBytes !== undefined) metrics.redisLimit.set({ node }, limitBytes);
  }
  for (const { queue, oldestMs, ...depth } of queues) {
    for (const state of ['waiting', 'active', 'delayed', 'parents', 'failed'] as const) {
      metrics.queueJobs.set({ queue, state }, depth[state]);
    }
    metrics.queueOldest.set({ queue }, oldestMs / MS);
  }
  const plain: Partial<Readonly<Record<(typeof PLAIN)[number], number | undefined>>> = {
    ...counts,
    workers: numbers.runningWorkers,
    oldestDelivery: numbers.oldestDelivery && numbers.oldestDelivery / MS,
    stoppedRoutes: stoppedRoutes.length,
    unreadableValues: unreadable,
    ...archiveNumbers(numbers),
    oldestAnswer: freshness.oldest && freshness.oldest / MS,
    staleFacts: freshness.stale,
    targetsWithStaleFacts: freshness.staleTargets.size,
  };
  for (const name of PLAIN) {
    const value = plain[name];
    if (value !== undefined) metrics[name].set(value);
  }
  for (const [name, count] of targets.olderThan) metrics.staleTargets.set({ older_than: name }, count);
  for (const [name, severities] of targets.open) {
    const rule = known(name, rules);
    for (const [severity, count] of severities) metrics.openFindings.inc({ rule, severity }, count);
  }
  for (const refresh of refreshes) setRefresh(metrics, refresh);
}

/** Joins the passes of all shards: the oldest success counts. */
function archiveNumbers({ archives }: FleetNumbers) {
  if (archives.length === 0) return {};
  const times = archives.map(({ succeededAt }) => succeededAt);
  return {
    archiveSuccess: times.includes(undefined) ? undefined : Math.min(...times.map(Number)) / MS,
    archiveFailed: Number(archives.some(({ error }) => error !== undefined)),
    archiveWaiting: archives.reduce((sum, { waiting }) => sum + waiting, 0),
  };
}

function known(rule: string, rules: ReadonlySet<string>): string {
  return rules.has(rule) ? rule : 'other';
}

function setRefresh(metrics: Metrics, { cadence, last, running }: RefreshNumbers): void {
  if (last !== undefined) {
    const started = Date.parse(last.startedAt);
    metrics.refreshStarted.set({ cadence }, started / MS);
    metrics.refreshSeconds.set({ cadence }, (Date.parse(last.finishedAt) - started) / MS);
    for (const result of ['packages', 'advisories', 'changed', 'failed'] as const)
      metrics.refreshLookUps.set({ cadence, result }, last[result]);
  }
  metrics.refreshParts.set({ cadence, state: 'open' }, running?.open ?? 0);
  metrics.refreshParts.set({ cadence, state: 'done' }, running?.done ?? 0);
}
