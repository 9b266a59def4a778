import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { REDIS_UP } from './mount.ts';

/** Seconds: from a look-up in memory to a job that reads a large repository. */
const JOB_SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 900];
const REQUEST_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export type Metrics = ReturnType<typeof createRegistry>;

/** All metrics of a process. docs/reference/metrics.md lists them; every label has a bounded number of values. */
export function createRegistry() {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  /** The properties that every metric has. `name`: after `lockhound_`. */
  const shared = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) => ({
    ...{ name: `lockhound_${name}`, help, labelNames, registers },
  });
  const counter = <Label extends string = never>(name: string, help: string, ...labels: readonly Label[]) =>
    new Counter(shared(name, help, labels));
  const gauge = <Label extends string = never>(name: string, help: string, ...labels: readonly Label[]) =>
    new Gauge(shared(name, help, labels));
  const histogram = <Label extends string>(name: string, help: string, buckets: number[], label: Label) =>
    new Histogram({ ...shared(name, help, [label]), buckets });
  return {
    registry,
    info: gauge('build_info', 'Always 1; the release and the version of Node.', 'version', 'node'),
    /** The metrics of this process. */
    jobs: counter(
      'jobs_total',
      'Attempts of jobs in this process by their end: finished, retry, pause (the service limits requests), postpone (its turn), failed.',
      'queue',
      'result',
    ),
    jobSeconds: histogram(
      'job_duration_seconds',
      'Duration of the attempts that finished.',
      JOB_SECONDS,
      'queue',
    ),
    jobWaitSeconds: histogram(
      'job_wait_seconds',
      'Time from when a job could run until a worker started it, without intended delays.',
      JOB_SECONDS,
      'queue',
    ),
    lookUps: counter(
      'look_ups_total',
      'Look-ups by outcome (found, missing, uncovered, failed) and source (cache, service).',
      'kind',
      'outcome',
      'source',
    ),
    requests: counter(
      'http_requests_total',
      'Attempts of requests by service (insights, receiver, platform, source, contract) and status (2xx to 5xx, 429, none).',
      'service',
      'status',
    ),
    requestSeconds: histogram(
      'http_request_duration_seconds',
      'Duration of attempts of requests.',
      REQUEST_SECONDS,
      'service',
    ),
    budgetSeconds: counter(
      'request_budget_wait_seconds_total',
      'Time that requests waited for `insights.requestsPerSecond` or after a 429.',
      'service',
    ),
    deliveries: counter(
      'delivery_attempts_total',
      'Attempts to deliver alerts by route and result: accepted, refused, failed.',
      'route',
      'result',
    ),
    changes: counter(
      'finding_changes_total',
      'Changes of findings that this process recorded.',
      'rule',
      'severity',
      'transition',
    ),
    verdicts: counter(
      'verdicts_total',
      'Verdicts that this process recorded: complete, incomplete, superseded.',
      'result',
    ),
    lostSpans: counter('lost_spans_total', 'Spans of traces that the collector did not accept.'),
    /** The metrics of all workers together, read from Redis for each scrape. */
    redisUp: gauge('redis_up', REDIS_UP.help),
    redisBytes: gauge('redis_memory_bytes', 'Memory that Redis uses.', 'node'),
    redisLimit: gauge('redis_memory_limit_bytes', 'maxmemory of Redis; absent without a limit.', 'node'),
    queueJobs: gauge(
      'queue_jobs',
      'Jobs in the queues of all workers by state: waiting, active, delayed, parents (wait for other jobs), failed.',
      'queue',
      'state',
    ),
    queueOldest: gauge(
      'queue_oldest_seconds',
      'How long the oldest job that could run has waited, without intended delays.',
      'queue',
    ),
    workers: gauge('workers', 'Workers that run.'),
    openJobs: gauge(
      'open_jobs',
      'Jobs that are neither done nor failed permanently, without those of producers.',
    ),
    targets: gauge('targets', 'Targets.'),
    incompleteTargets: gauge('incomplete_targets', 'Targets whose last scan could not see everything.'),
    staleTargets: gauge(
      'stale_targets',
      'Targets whose lockfiles were read last longer ago than this.',
      'older_than',
    ),
    failingSources: gauge('failing_sources', 'Targets whose source cannot be read.'),
    openFindings: gauge('open_findings', 'Open findings of all targets, without notes.', 'rule', 'severity'),
    openDeliveries: gauge('open_deliveries', 'Alerts that are not delivered yet.'),
    oldestDelivery: gauge(
      'oldest_delivery_timestamp_seconds',
      'Time at which the oldest undelivered alert began to wait. It is absent while no alert waits.',
    ),
    failedDeliveries: gauge('failed_deliveries', 'Alerts that failed permanently and wait for an operator.'),
    stoppedRoutes: gauge('stopped_routes', 'Routes that send nothing until an operator resumes them.'),
    rejectedPayloads: gauge('rejected_payloads', 'Payloads of producers that were refused.'),
    archiveSuccess: gauge(
      'ledger_archive_success_timestamp_seconds',
      'Last time at which all old blocks of ledgers were in `ledger.storage`; absent before.',
    ),
    archiveFailed: gauge('ledger_archive_failed', '1 when the last pass that moves them failed.'),
    archiveWaiting: gauge('ledger_blocks_waiting', 'Old blocks of ledgers that the last pass left in Redis.'),
    unreadableValues: gauge('unreadable_values', 'Stored values that this process could not read.'),
    refreshStarted: gauge(
      'refresh_started_timestamp_seconds',
      'Start of the last refresh that ended.',
      'cadence',
    ),
    refreshSeconds: gauge('refresh_duration_seconds', 'Duration of the last refresh that ended.', 'cadence'),
    oldestAnswer: gauge(
      'oldest_answer_timestamp_seconds',
      'Time of the oldest last answer about a package version that a target holds, or about an advisory.',
    ),
    refreshInterval: gauge(
      'refresh_interval_seconds',
      'Interval of the refresh of all packages (`watch.every`); 0 when there is none.',
    ),
    staleFacts: gauge(
      'stale_facts',
      'Package versions and advisories whose last answer is older than watch.staleAfter.',
    ),
    targetsWithStaleFacts: gauge('targets_with_stale_facts', 'Targets that hold them.'),
    refreshLookUps: gauge(
      'refresh_look_ups',
      'What the last refresh looked up, by result.',
      'cadence',
      'result',
    ),
    refreshParts: gauge('refresh_parts', 'Parts of the refresh in progress by state.', 'cadence', 'state'),
    scrapeSeconds: gauge('scrape_duration_seconds', 'How long it took to read the values from Redis.'),
    scrapeFailures: counter('scrape_failures_total', 'Scrapes that could not read all values from Redis.'),
  };
}
