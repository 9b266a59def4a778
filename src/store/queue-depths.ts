import { isObject, jsonValue } from '../model/json-object.ts';
import type { Keys } from './keys.ts';
import type { RedisClient } from './redis/connection.ts';

/** The jobs of one queue by state, and the job that waits longest. */
export interface QueueDepth {
  readonly queue: string;
  readonly waiting: number;
  readonly active: number;
  /** Waits for a time: its next attempt, its turn, a route. */
  readonly delayed: number;
  /** Waits for other jobs. */
  readonly parents: number;
  /** Failed permanently; kept for an operator. */
  readonly failed: number;
  /** The job that a worker claims next, or the first delayed one whose time has come. */
  readonly oldest?: OldestJob | undefined;
}

export interface OldestJob {
  readonly id: string;
  /**
   * Since when it could run, in ms since 1970: intended delays are left out. Absent for a job that waited for others or had an
   * attempt before, because Redis does not say since when it waits again.
   */
  readonly since?: number | undefined;
}

/** BullMQ adds a counter to the time of a delayed job. */
const DELAY_FACTOR = 0x1000;

type Answer = readonly [error: Error | null, value: unknown];

/** Reads the lists of BullMQ in constant time for each queue. */
export function createQueueDepths(redis: RedisClient, { prefix }: Keys, now: () => number = Date.now) {
  return {
    /** In two round trips. */
    async read(queues: readonly string[]): Promise<readonly QueueDepth[]> {
      const pipeline = redis.pipeline();
      for (const queue of queues) {
        const key = (list: string): string => `${prefix}:${queue}:${list}`;
        pipeline.llen(key('wait')).llen(key('active')).zcard(key('delayed')).zcard(key('waiting-children'));
        pipeline.zcard(key('failed')).lindex(key('wait'), -1).zrange(key('delayed'), '0', '0', 'WITHSCORES');
      }
      const answers = valuesOf(await pipeline.exec());
      const counted = queues.map((queue, index) =>
        depthOf(queue, answers.slice(index * COMMANDS, (index + 1) * COMMANDS), now()),
      );
      return await withAges(redis, prefix, counted);
    },
    /** The jobs of a queue that failed permanently last. */
    async failedJobs(
      queue: string,
      count: number,
    ): Promise<readonly { readonly id: string; readonly reason: string }[]> {
      const ids = await redis.zrevrange(`${prefix}:${queue}:failed`, 0, count - 1);
      const reasons = ids.map((id) => redis.hget(`${prefix}:${queue}:${id}`, 'failedReason'));
      return (await Promise.all(reasons)).map((reason, index) => ({
        id: ids[index] ?? '',
        reason: reason ?? '',
      }));
    },
    /** The data of a job, as JSON, and when it failed permanently, in ms since 1970. `undefined` for a job that has not failed. */
    async failedJob(
      queue: string,
      id: string,
    ): Promise<{ readonly data: string; readonly at: number } | undefined> {
      const at = await redis.zscore(`${prefix}:${queue}:failed`, id);
      const data = await redis.hget(`${prefix}:${queue}:${id}`, 'data');
      return at === null || data === null ? undefined : { data, at: Number(at) };
    },
    /** The data of the jobs that workers claim next, as JSON, and when they were queued in ms since 1970. */
    async oldestData(
      queue: string,
      count: number,
    ): Promise<readonly { readonly data: string; readonly timestamp: number }[]> {
      const ids = await redis.lrange(`${prefix}:${queue}:wait`, -count, -1);
      const jobs = ids.map((id) => redis.hmget(`${prefix}:${queue}:${id}`, 'data', 'timestamp'));
      return (await Promise.all(jobs)).map(([data, timestamp]) => ({
        data: data ?? '',
        timestamp: Number(timestamp),
      }));
    },
    /** Whether a job waits, runs, or is delayed for at most `withinMs` or after a failed attempt. */
    async willRun(queue: string, id: string, withinMs: number): Promise<boolean> {
      const key = `${prefix}:${queue}`;
      const pipeline = redis.pipeline().hmget(`${key}:${id}`, 'timestamp', 'atm', 'finishedOn');
      const [fields, score] = valuesOf(await pipeline.zscore(`${key}:delayed`, id).exec());
      const [queued, failures, finished] = fields as readonly (string | null)[];
      if (queued == null || finished != null) return false;
      return score == null || Number(failures ?? 0) > 0 || Number(score) / DELAY_FACTOR < now() + withinMs;
    },
    /** How many children a job waits for, and how many have ended. */
    async childrenOf(queue: string, id: string): Promise<{ readonly open: number; readonly done: number }> {
      const key = `${prefix}:${queue}:${id}`;
      const pipeline = redis.pipeline().scard(`${key}:dependencies`);
      const answers = valuesOf(await pipeline.hlen(`${key}:processed`).hlen(`${key}:failed`).exec());
      const [open, processed, failed] = answers.map(Number) as [number, number, number];
      return { open, done: processed + failed };
    },
  };
}

/** Commands for each queue. */
const COMMANDS = 7;

/** `next`: the job that a worker claims next. */
interface Counted extends QueueDepth {
  readonly next: string | undefined;
}

function depthOf(queue: string, answers: readonly unknown[], now: number): Counted {
  const [waiting, active, delayed, parents, failed] = answers.map(Number);
  const next = typeof answers[5] === 'string' ? answers[5] : undefined;
  const first = Array.isArray(answers[6]) ? answers[6].flat().map(String) : [];
  const due = Math.floor(Number(first[1] ?? Number.NaN) / DELAY_FACTOR);
  const counts = { waiting, active, delayed, parents, failed } as Pick<
    QueueDepth,
    'waiting' | 'active' | 'delayed' | 'parents' | 'failed'
  >;
  const overdue = next === undefined && due < now ? { id: first[0] ?? '', since: due } : undefined;
  return { queue, ...counts, next, oldest: overdue };
}

/** Adds the time since which the next jobs wait. */
async function withAges(
  redis: RedisClient,
  prefix: string,
  counted: readonly Counted[],
): Promise<readonly QueueDepth[]> {
  const pipeline = redis.pipeline();
  for (const { queue, next } of counted) {
    if (next === undefined) continue;
    const key = `${prefix}:${queue}:${next}`;
    // A parent keeps the results of its children under this key.
    pipeline.hmget(key, 'timestamp', 'opts', 'ats').exists(`${key}:processed`);
  }
  const answers = valuesOf(await pipeline.exec());
  let at = 0;
  return counted.map(({ next, ...depth }) => {
    if (next === undefined) return depth;
    const [fields, hadChildren] = answers.slice(at, at + 2);
    at += 2;
    return { ...depth, oldest: { id: next, since: Number(hadChildren) === 1 ? undefined : sinceOf(fields) } };
  });
}

function sinceOf(fields: unknown): number | undefined {
  const [timestamp, opts, started] = Array.isArray(fields) ? fields : [];
  if (Number(started ?? 0) > 0) return undefined;
  const options = jsonValue(String(opts));
  const since = Number(timestamp) + (isObject(options) ? Number(options['delay'] ?? 0) : Number.NaN);
  return Number.isFinite(since) ? since : undefined;
}

/** Throws the error of the first command that failed. */
export function valuesOf(answers: readonly Answer[] | null): readonly unknown[] {
  return (answers ?? []).map(([error, value]) => {
    if (error !== null) throw error;
    return value;
  });
}
