import { Job, Queue } from 'bullmq';
import type { Store } from '../compose/store.ts';
import type { LoadedConfig } from '../config/load.ts';
import { JOBS } from '../jobs/catalog.ts';
import { EnvelopeError, openEnvelope, sealEnvelope, UnparsedData } from '../jobs/envelope.ts';
import type { AnyJob } from '../jobs/job.ts';
import { jobIdOf } from '../jobs/job-id.ts';
import { messageOf } from '../model/errors.ts';
import type { RejectedPayload } from '../model/queue/rejected-payload.ts';
import { openSharedStore } from './shared-store.ts';

export interface RejectedList {
  /** Newest first. */
  readonly rejected: readonly RejectedPayload[];
  /** Number of all that are kept. */
  readonly total: number;
}

/**
 * What `retry` did. `invalid`: it would be rejected again, for `issues`. `gone`: the job is not in the queue any more, and of
 * its data only the beginning is kept. `under-way`: the job is not rejected any more.
 */
export type RetriedPayload = { readonly job: string; readonly id: string } & (
  | { readonly outcome: 'queued' | 'gone' | 'under-way' }
  | { readonly outcome: 'invalid'; readonly issues: RejectedPayload['issues'] }
);

/** The rejected payloads of a Redis, for an operator. */
export interface RejectedDesk {
  /** Default: all. */
  list(limit?: number): Promise<RejectedList>;
  /** Those of the jobs with this id, with all of their data where the job still has it. */
  find(id: string): Promise<readonly RejectedPayload[]>;
  /** Puts a payload back on its queue, with `data` (JSON text) in place of its own. May be repeated. */
  retry(entry: RejectedPayload, data?: string): Promise<RetriedPayload>;
  /** Forgets a payload and its job. May be repeated. */
  drop(entry: RejectedPayload): Promise<void>;
  close(): Promise<void>;
}

/** A kind of job and its queue. */
interface Line {
  readonly job: AnyJob;
  readonly queue: Queue;
}

/** Throws `ConfigError` without `redis.url`, `StoreError` when no Redis answers. */
export async function openRejectedDesk(loaded: LoadedConfig): Promise<RejectedDesk> {
  const { store, log } = await openSharedStore(loaded);
  const lines = new Map(
    JOBS.map((job): [string, Line] => {
      const queue = new Queue(job.name, {
        connection: store.redis,
        prefix: store.prefix,
        skipVersionCheck: true,
      });
      queue.on('error', (error) => log.warn({ error: error.message }, 'queue connection'));
      return [job.name, { job, queue }];
    }),
  );
  const lineOf = ({ job }: RejectedPayload): Line => {
    const line = lines.get(job);
    if (line === undefined) throw new RangeError(`no job is named "${job}"`);
    return line;
  };
  const { rejected } = store;
  return {
    list: async (limit) => ({ rejected: await rejected.list(limit), total: await rejected.count() }),
    async find(id) {
      const found = await rejected.find(id, [...lines.keys()]);
      return Promise.all(found.map((entry) => withAllData(store, lineOf(entry).queue, entry)));
    },
    retry: (entry, data) => retry(store, lineOf(entry), entry, data),
    async drop(entry) {
      const { queue } = lineOf(entry);
      if ((await queue.getJobState(entry.id)) === 'failed') {
        await queue.remove(entry.id, { removeChildren: false });
      }
      await rejected.remove(entry);
    },
    async close() {
      await Promise.all([...lines.values()].map(({ queue }) => queue.close()));
      await store.close();
    },
  };
}

/** The entry with the job's data as it stands in Redis: BullMQ itself reads none that is not JSON. */
async function withAllData({ redis }: Store, queue: Queue, entry: RejectedPayload): Promise<RejectedPayload> {
  const data = await redis.hget(queue.toKey(entry.id), 'data');
  const { cut: _cut, ...others } = entry;
  return data === null ? entry : { ...others, data };
}

async function retry(
  store: Store,
  { job, queue }: Line,
  entry: RejectedPayload,
  corrected: string | undefined,
): Promise<RetriedPayload> {
  const named = { job: entry.job, id: entry.id };
  const { data, cut } =
    corrected === undefined ? await withAllData(store, queue, entry) : { data: corrected, cut: false };
  if (cut === true) return { ...named, outcome: 'gone' };
  try {
    const envelope = parseData(data);
    const { key, payload } = openEnvelope(job, envelope);
    const id = jobIdOf(job.name, key);
    const lane = job.lane?.(payload);
    // One without a place in its lane would take itself for given up.
    if (lane !== undefined)
      await store.openJobs.open({ id, job: job.name, lane, data: sealEnvelope(job, payload) });
    if (!(await putBack(queue, entry.id, envelope, id))) {
      return { ...named, outcome: 'under-way' };
    }
    await store.rejected.remove(entry);
    return { ...named, outcome: 'queued' };
  } catch (error) {
    if (!(error instanceof EnvelopeError)) throw error;
    return { ...named, outcome: 'invalid', issues: error.issues };
  }
}

function parseData(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return new UnparsedData(text, messageOf(error));
  }
}

/**
 * Has the failed job run again with this data; a job that is not in the queue any more is added under `newId`. False when the
 * job is there, and did not fail.
 */
async function putBack(queue: Queue, id: string, data: unknown, newId: string): Promise<boolean> {
  const state = await queue.getJobState(id);
  if (state === 'unknown') {
    await queue.add(queue.name, data, { jobId: newId });
    return true;
  }
  if (state !== 'failed') return false;
  // Not read from Redis, as the data that lies there may not be JSON.
  const job = new Job(queue, queue.name, data, {}, id);
  await job.updateData(data);
  await job.retry('failed', { resetAttemptsMade: true, resetAttemptsStarted: true });
  return true;
}
