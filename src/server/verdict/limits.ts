import { broken, degraded, type Found, fine } from '../../model/fleet/checks.ts';
import type { WorkerRecord } from '../../model/fleet/worker-record.ts';
import type { QueueNumbers } from '../metrics/fleet-numbers.ts';
import type { HealthFacts } from './health-facts.ts';
import { count, percent, span } from './words.ts';

/** Something is a bottleneck only while a job waits for longer than this. */
const WAITS_MS = 10_000;
const REDIS_MEMORY = 0.85;
const REDIS_SLOW_MS = 50;
const BUSY = 0.9;
const MOST = 0.5;
const FULL = 0.8;

const DELIVERY_QUEUE = 'deliver-notification';

/** The bottlenecks: what to raise so that work flows faster. */
export function bottlenecks(facts: HealthFacts): readonly Found[] {
  const waits = facts.numbers.queues.some(({ oldestMs }) => oldestMs > WAITS_MS);
  const records = facts.workers.filter((one) => one.running).map(({ record }) => record);
  const found = [
    ...redisLimits(facts),
    ...cpuLimit(records),
    ...receiverLimits(facts, records),
    ...limitedRequests(facts, records),
    ...(waits ? insightsLimits(facts, records) : []),
    ...(waits ? workerLimits(facts, records) : []),
  ];
  if (found.length > 0) return found;
  return [fine(waits ? 'no setting is a bottleneck' : 'there is no bottleneck: no job waits for long')];
}

function redisLimits({ numbers, redisMs }: HealthFacts): readonly Found[] {
  const memory = numbers.servers.flatMap(({ node, usedBytes, limitBytes, evictionPolicy }): Found[] => {
    if (evictionPolicy !== undefined && evictionPolicy !== 'noeviction') {
      const says = `Redis ${node} drops jobs and alerts when its memory is full (maxmemory-policy ${evictionPolicy})`;
      return [broken(says, 'Set `maxmemory-policy noeviction`; workers do not start otherwise.')];
    }
    const used = limitBytes === undefined ? 0 : usedBytes / limitBytes;
    if (used < REDIS_MEMORY) return [];
    const says = `memory of Redis ${node} is the bottleneck: ${percent(used)} of maxmemory are in use`;
    return [broken(says, 'Raise `maxmemory`; when it is full, Redis accepts nothing more.')];
  });
  if (redisMs < REDIS_SLOW_MS) return memory;
  const says = `Redis is the bottleneck: a round trip takes ${Math.round(redisMs)} ms`;
  return [...memory, degraded(says, 'Move the workers closer to Redis, or use `redis.shards` on a cluster.')];
}

function cpuLimit(records: readonly WorkerRecord[]): readonly Found[] {
  const busy = records.filter(({ load }) => load.loopUtilization >= BUSY);
  const [first] = busy;
  if (first === undefined) return [];
  const where =
    busy.length === 1 ? `of worker ${first.host}` : `of ${busy.length} of ${records.length} workers`;
  const says = `CPU ${where} is the bottleneck: the event loop is busy for ${percent(first.load.loopUtilization)} of the time`;
  return [degraded(says, 'Start more workers, or give them more CPU.')];
}

function receiverLimits({ numbers, now }: HealthFacts, records: readonly WorkerRecord[]): readonly Found[] {
  const { openDeliveries } = numbers.counts;
  const { oldestDelivery = now } = numbers;
  const since = `the oldest alert waits for ${span(now - oldestDelivery)}`;
  const attempts = sum(records, ({ load }) => load.deliveries);
  const refused = sum(records, ({ load }) => load.refused);
  if (openDeliveries > 0 && attempts > 0 && refused / attempts >= MOST) {
    const says = `the receiver is the bottleneck: it did not accept ${refused} of ${attempts} attempts to deliver alerts, and ${since}`;
    return [degraded(says, 'Run `lockhound deliveries`: it shows the answers.')];
  }
  const queue = numbers.queues.find((one) => one.queue === DELIVERY_QUEUE);
  if (openDeliveries > 0 && attempts === 0 && isResting(queue)) {
    const says = `no alert is sent: ${count(openDeliveries, 'alert')} wait${openDeliveries === 1 ? 's' : ''} for another attempt, and ${since}`;
    return [degraded(says, 'Run `lockhound deliveries`: it shows why.')];
  }
  // Alerts of one target and route are sent in order: the others are delayed until their turn.
  if (
    queue === undefined ||
    attempts === 0 ||
    queue.delayed <= 2 * (queue.waiting + queue.active) ||
    queue.delayed < 20
  )
    return [];
  const says = `the order of alerts is the bottleneck: ${queue.delayed} wait for earlier ones of the same target and route`;
  return [degraded(says, 'A faster receiver helps, or a route of mode `digest` or `periodic`.')];
}

/** Whether all jobs of a queue wait for a time. */
function isResting(queue: QueueNumbers | undefined): boolean {
  return queue !== undefined && queue.delayed > 0 && queue.waiting + queue.active === 0;
}

/** Whatever the age of the jobs: it is not known of one that runs again, and a 429 pauses its queue. */
function limitedRequests({ numbers }: HealthFacts, records: readonly WorkerRecord[]): readonly Found[] {
  const limited = sum(records, ({ load }) => load.limited);
  if (limited === 0 || numbers.queues.every(({ waiting }) => waiting === 0)) return [];
  const requests = sum(records, ({ load }) => load.requests);
  const says = `the insights service is the bottleneck: it answered ${limited} of ${requests} requests with 429`;
  const remedy = 'Ask it for a higher limit, or set `insights.requestsPerSecond` to what it allows.';
  return [degraded(says, remedy)];
}

function insightsLimits({ settings }: HealthFacts, records: readonly WorkerRecord[]): readonly Found[] {
  const requests = sum(records, ({ load }) => load.requests);
  if (requests === 0) return [];
  const busyMs = sum(records, ({ load }) => load.busyMs);
  const budgetMs = sum(records, ({ load }) => load.budgetMs);
  if (sum(records, ({ load }) => load.limited) > 0) return [];
  const possibleMs = sum(records, ({ load, concurrency }) => load.periodMs * concurrency);
  if (budgetMs > 0 && budgetMs / (budgetMs + busyMs) >= MOST) {
    const rate = settings.requestsPerSecond;
    const says = `the request budget is the bottleneck (insights.requestsPerSecond${rate === undefined ? '' : ` ${rate}`}): requests wait ${span(budgetMs / requests)} each`;
    return [degraded(says, 'Raise it, if the service allows more.')];
  }
  if (possibleMs === 0 || busyMs / possibleMs < FULL) return [];
  const says = `concurrent requests are the bottleneck (insights.concurrency): ${percent(busyMs / possibleMs)} are in use all the time`;
  return [degraded(says, 'Raise it, or start more workers.')];
}

/** Queues in which every place is taken while jobs wait. */
function workerLimits(
  { numbers, concurrency }: HealthFacts,
  records: readonly WorkerRecord[],
): readonly Found[] {
  const full = numbers.queues.filter(({ queue, active, oldestMs }) => {
    const places = (concurrency.get(queue) ?? Number.POSITIVE_INFINITY) * records.length;
    return records.length > 0 && oldestMs > WAITS_MS && active >= places;
  });
  if (full.length === 0) return [];
  const says = `the number of workers is the bottleneck: all places for ${full.map(({ queue }) => queue).join(', ')} are taken`;
  return [degraded(says, 'Start more workers.')];
}

function sum(records: readonly WorkerRecord[], value: (record: WorkerRecord) => number): number {
  return records.reduce((total, record) => total + value(record), 0);
}
