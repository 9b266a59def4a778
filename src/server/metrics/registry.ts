import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { REDIS_UP } from './without-redis.ts';

/** Seconds: from a look-up in memory to a job that reads a large repository. */
const JOB_SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 900];
const REQUEST_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export type Metrics = ReturnType<typeof createRegistry>;

/** All metrics of a process. docs/operating.md describes them; every label has a bounded number of values. */
export function createRegistry() {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Counter({ name, help, labelNames, registers });
  const gauge = <Label extends string = never>(
    name: string,
    help: string,
    labelNames: readonly Label[] = [],
  ) => new Gauge({ name, help, labelNames, registers });
  const histogram = <Label extends string>(
    name: string,
    help: string,
    { labelNames, buckets }: { readonly labelNames: readonly Label[]; readonly buckets: number[] },
  ) => new Histogram({ name, help, labelNames, buckets, registers });
  return {
    registry,
    info: gauge('lockhound_build_info', 'Always 1; the release and the version of Node.', [
      'version',
      'node',
    ]),
    /** Of this process. */
    jobs: counter('lockhound_jobs_total', 'Attempts of jobs in this process by their end.', [
      'queue',
      'result',
    ]),
    jobSeconds: histogram('lockhound_job_duration_seconds', 'Duration of the attempts that finished.', {
      labelNames: ['queue'],
      buckets: JOB_SECONDS,
    }),
    jobWaitSeconds: histogram(
      'lockhound_job_wait_seconds',
      'Time from when a job could run until a worker started it, without intended delays.',
      { labelNames: ['queue'], buckets: JOB_SECONDS },
    ),
    lookUps: counter('lockhound_look_ups_total', 'Look-ups by outcome, and whether the cache answered.', [
      'kind',
      'outcome',
      'source',
    ]),
    requests: counter('lockhound_http_requests_total', 'Attempts of requests by service and status.', [
      'service',
      'status',
    ]),
    requestSeconds: histogram(
      'lockhound_http_request_duration_seconds',
      'Duration of attempts of requests.',
      {
        labelNames: ['service'],
        buckets: REQUEST_SECONDS,
      },
    ),
    budgetSeconds: counter(
      'lockhound_request_budget_wait_seconds_total',
      'Time that requests waited for `insights.requestsPerSecond` or after a 429.',
      ['service'],
    ),
    deliveries: counter(
      'lockhound_delivery_attempts_total',
      'Attempts to deliver alerts by route and result.',
      ['route', 'result'],
    ),
    changes: counter('lockhound_finding_changes_total', 'Changes of findings that this process recorded.', [
      'rule',
      'severity',
      'transition',
    ]),
    verdicts: counter('lockhound_verdicts_total', 'Verdicts that this process recorded.', ['result']),
    lostSpans: counter(
      'lockhound_lost_spans_total',
      'Spans of traces that the collector did not accept.',
      [],
    ),
    /** Of all workers together, read from Redis for each scrape. */
    redisUp: gauge(REDIS_UP.name, REDIS_UP.help),
    redisBytes: gauge('lockhound_redis_memory_bytes', 'Memory that Redis uses.', ['node']),
    redisLimit: gauge('lockhound_redis_memory_limit_bytes', 'maxmemory of Redis; absent without a limit.', [
      'node',
    ]),
    queueJobs: gauge('lockhound_queue_jobs', 'Jobs in the queues of all workers by state.', [
      'queue',
      'state',
    ]),
    queueOldest: gauge(
      'lockhound_queue_oldest_seconds',
      'How long the oldest job that could run has waited, without intended delays.',
      ['queue'],
    ),
    workers: gauge('lockhound_workers', 'Workers that run.'),
    openJobs: gauge(
      'lockhound_open_jobs',
      'Jobs that are neither done nor failed permanently, without those of producers.',
    ),
    targets: gauge('lockhound_targets', 'Targets.'),
    incompleteTargets: gauge(
      'lockhound_incomplete_targets',
      'Targets whose last scan could not see everything.',
    ),
    staleTargets: gauge(
      'lockhound_stale_targets',
      'Targets whose lockfiles were read last longer ago than this.',
      ['older_than'],
    ),
    failingSources: gauge('lockhound_failing_sources', 'Targets whose source cannot be read.'),
    openFindings: gauge('lockhound_open_findings', 'Open findings of all targets, without notes.', [
      'rule',
      'severity',
    ]),
    openDeliveries: gauge('lockhound_open_deliveries', 'Alerts that are not delivered yet.'),
    failedDeliveries: gauge(
      'lockhound_failed_deliveries',
      'Alerts that failed permanently and wait for an operator.',
    ),
    stoppedRoutes: gauge(
      'lockhound_stopped_routes',
      'Routes that send nothing until an operator resumes them.',
    ),
    rejectedPayloads: gauge('lockhound_rejected_payloads', 'Payloads of producers that were refused.'),
    unreadableValues: gauge('lockhound_unreadable_values', 'Stored values that this process could not read.'),
    refreshStarted: gauge(
      'lockhound_refresh_started_timestamp_seconds',
      'Start of the last refresh that ended.',
      ['cadence'],
    ),
    refreshSeconds: gauge('lockhound_refresh_duration_seconds', 'Duration of the last refresh that ended.', [
      'cadence',
    ]),
    oldestAnswer: gauge(
      'lockhound_oldest_answer_timestamp_seconds',
      'Time of the oldest last answer about a package version that a target holds, or about an advisory.',
    ),
    refreshInterval: gauge(
      'lockhound_refresh_interval_seconds',
      'Interval of the refresh of all packages (`watch.every`); 0 when there is none.',
    ),
    staleFacts: gauge(
      'lockhound_stale_facts',
      'Package versions and advisories whose last answer is older than watch.staleAfter.',
    ),
    targetsWithStaleFacts: gauge('lockhound_targets_with_stale_facts', 'Targets that hold them.'),
    refreshLookUps: gauge('lockhound_refresh_look_ups', 'What the last refresh looked up, by result.', [
      'cadence',
      'result',
    ]),
    refreshParts: gauge('lockhound_refresh_parts', 'Parts of the refresh in progress by state.', [
      'cadence',
      'state',
    ]),
    scrapeSeconds: gauge(
      'lockhound_scrape_duration_seconds',
      'How long it took to read the values from Redis.',
    ),
    scrapeFailures: counter(
      'lockhound_scrape_failures_total',
      'Scrapes that could not read all values from Redis.',
      [],
    ),
  };
}
