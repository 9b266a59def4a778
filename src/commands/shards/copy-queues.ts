import { Queue } from 'bullmq';
import { JOBS } from '../../jobs/catalog.ts';
import { jsonValue } from '../../model/json-object.ts';
import type { Keys } from '../../store/keys.ts';
import type { Move } from './move.ts';
import { DROPPED, shardsOf } from './places.ts';

const CHUNK = 200;

/**
 * Copies the queued jobs that producers and schedules added, and all failed ones. Jobs that are open, and children of flows, are
 * queued again from what is stored about them.
 */
export async function copyQueues(move: Move): Promise<void> {
  const open = ({ prefix }: Keys, name: string): Queue => {
    const options = { connection: move.redis, prefix, skipMetasUpdate: true, skipVersionCheck: true };
    return new Queue(name, options).on('error', () => {});
  };
  for (const { name } of JOBS.filter((job) => !DROPPED.has(job.name))) {
    const queues = new Map([...move.sources, ...move.destinations].map((keys) => [keys, open(keys, name)]));
    const queueOf = (keys: Keys): Queue => queues.get(keys) as Queue;
    try {
      for (const source of move.sources) await copyQueue(move, source, queueOf);
    } finally {
      await Promise.all([...queues.values()].map((queue) => queue.close()));
    }
  }
}

async function copyQueue(move: Move, source: Keys, queueOf: (keys: Keys) => Queue): Promise<void> {
  const { redis, signal, destinations, onProgress } = move;
  const from = queueOf(source);
  let done = 0;
  for await (const { id, isFailed } of jobsIn(from)) {
    signal.throwIfAborted();
    onProgress(`copying the queue ${from.name}`, done, done);
    done += 1;
    const job = await redis.hgetall(from.toKey(id));
    const isOpen = (await redis.hexists(source.openJobs, id)) === 1;
    if (job['name'] === undefined || job['parentKey'] !== undefined || (isOpen && !isFailed)) continue;
    const own = shardsOf(move, from.name, jsonValue(job['data'] ?? ''));
    const add = isFailed ? addFailed : addAgain;
    for (const keys of own ?? destinations.slice(0, isFailed ? 1 : undefined)) {
      await add(redis, queueOf(keys), id, job);
    }
  }
}

async function* jobsIn(queue: Queue): AsyncGenerator<{ readonly id: string; readonly isFailed: boolean }> {
  for (const state of ['waiting', 'delayed', 'prioritized', 'active', 'failed'] as const) {
    let ids: readonly string[] = [];
    for (let start = 0; start === 0 || ids.length === CHUNK; start += CHUNK) {
      ids = await queue.getRanges([state], start, start + CHUNK - 1, true);
      for (const id of ids) yield { id, isFailed: state === 'failed' };
    }
  }
}

/** Keeps data that is not JSON. Other options of a producer do not apply. */
async function addAgain(
  redis: Move['redis'],
  to: Queue,
  id: string,
  { name = to.name, data = '', timestamp, delay, priority }: Readonly<Record<string, string>>,
): Promise<void> {
  const due = Number(timestamp) + Number(delay ?? 0);
  // Producers may leave ids to BullMQ, which counts in each shard and takes no numbers.
  const isOwn = !/^\d+$/.test(id) && (await redis.exists(to.toKey(id))) === 0;
  const copy = await to.add(name, jsonValue(data) ?? {}, {
    ...(isOwn ? { jobId: id } : {}),
    timestamp: Number(timestamp),
    delay: Math.max(0, due - Date.now()),
    priority: Number(priority ?? 0),
  });
  if (jsonValue(data) === undefined) await redis.hset(to.toKey(copy.id ?? id), 'data', data);
}

/** BullMQ has no function that adds a failed job. */
async function addFailed(
  redis: Move['redis'],
  to: Queue,
  id: string,
  fields: Readonly<Record<string, string>>,
): Promise<void> {
  await redis.hset(to.toKey(id), fields);
  await redis.zadd(to.toKey('failed'), Number(fields['finishedOn'] ?? Date.now()), id);
}
