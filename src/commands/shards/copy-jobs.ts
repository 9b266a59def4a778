import { Queue } from 'bullmq';
import { JOBS } from '../../jobs/catalog.ts';
import { JUDGE_TARGETS } from '../../jobs/payloads/judge-targets.ts';
import { isObject } from '../../model/json-object.ts';
import type { OpenJob } from '../../model/queue/open-job.ts';
import { OPEN_JOB } from '../../model/stored/catalog.ts';
import type { Keys } from '../../store/keys.ts';
import { packOpenJob } from '../../store/outcomes/open-jobs.ts';
import { readValue } from '../../store/values/stored-values.ts';
import { copyKey, type Move, scanHash } from './shard-sets.ts';

/**
 * Refreshes name packages by ids of their shard. They are not copied: what changed is listed with the facts, and the workers
 * refresh again at the next due time.
 */
const DROPPED = new Set(['refresh-fleet', 'refresh-packages', 'refresh-advisories', 'finish-refresh']);

/** Copies open jobs with their places in lanes. The workers queue them again when they start. */
export async function copyOpenJobs(move: Move): Promise<void> {
  const { redis, sources, onProgress } = move;
  for (const [index, source] of sources.entries()) {
    onProgress('copying open jobs', index, sources.length);
    for await (const entries of scanHash(redis, source.openJobs)) {
      for (const [id, stored] of entries) await copyOpenJob(move, source, id, stored);
    }
  }
}

async function copyOpenJob(move: Move, source: Keys, id: string, stored: Buffer): Promise<void> {
  const { redis } = move;
  const remedy = 'Delete the field to forget the job.';
  const job = await readValue(OPEN_JOB, stored, { key: source.openJobs, field: id, remedy });
  if (DROPPED.has(job.job)) return;
  for (const [keys, own] of partsOf(move, job)) {
    await redis.hset(keys.openJobs, id, own === job ? stored : await packOpenJob(own));
    if (job.lane !== undefined) await copyKey(redis, source.lane(job.lane), keys.lane(job.lane));
  }
}

/** The shards that get an open job, each with its part of it. One about no target goes to all. */
function partsOf({ staged, destination }: Move, job: OpenJob): readonly (readonly [Keys, OpenJob])[] {
  const { data } = job;
  if (job.job === JUDGE_TARGETS.name && isObject(data.payload) && Array.isArray(data.payload['targets'])) {
    const { payload } = data;
    const targets = Map.groupBy(data.payload['targets'] as readonly string[], destination);
    return [...targets].map(([keys, own]) => [
      keys,
      { ...job, data: { ...data, payload: { ...payload, targets: own } } },
    ]);
  }
  const target = targetOf(job.job, data);
  return (target === undefined ? staged : [destination(target)]).map((keys) => [keys, job]);
}

const WAITING = ['waiting', 'delayed', 'prioritized', 'active'] as const;
const CHUNK = 200;

/**
 * Copies the queued jobs that producers and schedules added, and all failed ones. Jobs that are open, and children of flows, are
 * queued again from what is stored about them.
 */
export async function copyQueues(move: Move): Promise<void> {
  const { redis, sources, onProgress } = move;
  const queues = new Map<string, Queue>();
  const open = (prefix: string, name: string): Queue => {
    const queue =
      queues.get(`${prefix}:${name}`) ??
      new Queue(name, { connection: redis, prefix, skipMetasUpdate: true, skipVersionCheck: true });
    queues.set(`${prefix}:${name}`, queue);
    return queue.on('error', () => {});
  };
  let done = 0;
  const sourceQueues = sources.flatMap((source) =>
    JOBS.filter(({ name }) => !DROPPED.has(name)).map(({ name }) => ({
      source,
      from: open(source.prefix, name),
    })),
  );
  try {
    for (const { source, from } of sourceQueues) {
      for await (const { id, state } of jobsIn(from)) {
        await copyJob(move, { source, from, id, state, open });
        done += 1;
        onProgress('copying queued jobs', done, done);
      }
    }
  } finally {
    await Promise.all([...queues.values()].map((queue) => queue.close()));
  }
}

async function* jobsIn(queue: Queue): AsyncGenerator<Pick<QueuedJob, 'id' | 'state'>> {
  for (const state of [...WAITING, 'failed'] as const) {
    let ids: readonly string[] = [];
    for (let start = 0; start === 0 || ids.length === CHUNK; start += CHUNK) {
      ids = await queue.getRanges([state], start, start + CHUNK - 1, true);
      for (const id of ids) yield { id, state };
    }
  }
}

interface QueuedJob {
  readonly source: Keys;
  readonly from: Queue;
  readonly id: string;
  readonly state: (typeof WAITING)[number] | 'failed';
  readonly open: (prefix: string, name: string) => Queue;
}

async function copyJob(
  { redis, staged, destination }: Move,
  { source, from, id, state, open }: QueuedJob,
): Promise<void> {
  const fields = await redis.hgetall(from.toKey(id));
  const { data = '', parentKey } = fields;
  if (fields['name'] === undefined || parentKey !== undefined) return;
  const isFailed = state === 'failed';
  if (!isFailed && (await redis.hexists(source.openJobs, id)) === 1) return;
  const target = targetOf(from.name, parsed(data));
  const first = staged[0] as Keys;
  const destinations = target === undefined ? (isFailed ? [first] : staged) : [destination(target)];
  for (const keys of destinations) {
    const to = open(keys.prefix, from.name);
    if (isFailed) await copyFailed(redis, to, id, fields);
    else await addAgain(redis, to, id, fields);
  }
  const [rejected, order] = await Promise.all([
    redis.hget(source.rejected, `${from.name}/${id}`),
    redis.zscore(source.rejectedOrder, `${from.name}/${id}`),
  ]);
  if (rejected === null || order === null) return;
  for (const keys of destinations) {
    await redis.hset(keys.rejected, `${from.name}/${id}`, rejected);
    await redis.zadd(keys.rejectedOrder, order, `${from.name}/${id}`);
  }
}

/** Keeps data that is not JSON. Other options of a producer do not apply. */
async function addAgain(
  redis: Move['redis'],
  to: Queue,
  id: string,
  fields: Readonly<Record<string, string>>,
): Promise<void> {
  const { name = to.name, data = '', timestamp, delay, priority } = fields;
  if ((await redis.exists(to.toKey(id))) === 1) return;
  const due = Number(timestamp) + Number(delay ?? 0);
  await to.add(name, parsed(data) ?? {}, {
    jobId: id,
    timestamp: Number(timestamp),
    delay: Math.max(0, due - Date.now()),
    priority: Number(priority ?? 0),
  });
  if (parsed(data) === undefined) await redis.hset(to.toKey(id), 'data', data);
}

/** BullMQ has no function that adds a failed job. */
async function copyFailed(
  redis: Move['redis'],
  to: Queue,
  id: string,
  fields: Readonly<Record<string, string>>,
): Promise<void> {
  await redis.hset(to.toKey(id), fields);
  await redis.zadd(to.toKey('failed'), Number(fields['finishedOn'] ?? Date.now()), id);
}

/** Rejected payloads whose job is gone: nothing of them is in a queue. */
export async function copyRejected({ redis, sources, staged }: Move): Promise<void> {
  const keys = staged[0] as Keys;
  for (const source of sources) {
    const pairs = await redis.zrange(source.rejectedOrder, '0', '-1', 'WITHSCORES');
    for (let at = 0; at + 1 < pairs.length; at += 2) {
      const [name = '', score = '0'] = [pairs[at], pairs[at + 1]];
      const copies = await Promise.all(staged.map(({ rejected }) => redis.hexists(rejected, name)));
      const text = await redis.hget(source.rejected, name);
      if (copies.includes(1) || text === null) continue;
      await redis.hset(keys.rejected, name, text);
      await redis.zadd(keys.rejectedOrder, score, name);
    }
  }
}

/** The target that a job is about; `undefined` for none or several. `data`: its envelope. */
function targetOf(name: string, data: unknown): string | undefined {
  const payload = isObject(data) && isObject(data['payload']) ? data['payload'] : undefined;
  if (payload === undefined) return undefined;
  const { target } = payload;
  if (typeof target === 'string') return target;
  if (isObject(target) && typeof target['id'] === 'string') return target['id'];
  // A job whose target does not depend on its payload.
  return name === 'check-contract' ? JOBS.find((job) => job.name === name)?.target?.(payload) : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
