import { Job, type Queue } from 'bullmq';
import type { Store } from '../compose/store.ts';
import type { LoadedConfig } from '../config/load.ts';
import { JOBS } from '../jobs/catalog.ts';
import { EnvelopeError, openEnvelope, sealEnvelope, UnparsedData } from '../jobs/envelope.ts';
import type { AnyJob } from '../jobs/job.ts';
import { jobIdOf } from '../jobs/job-id.ts';
import { messageOf } from '../model/errors.ts';
import type { RejectedList, RejectedPayload, RetriedPayload } from '../model/queue/rejected-payload.ts';
import { openSharedStore, type SharedShard, type SharedStore } from './shared-store.ts';

/** Administration of rejected payloads. */
export type RejectedAdmin = Awaited<ReturnType<typeof openRejectedAdmin>>;

/** A job and its queue. */
interface QueuedJob {
  readonly job: AnyJob;
  readonly queue: Queue;
}

/** Throws `ConfigError` when `redis.url` is not set and `StoreError` when Redis does not answer. */
export async function openRejectedAdmin(loaded: LoadedConfig) {
  return administerRejected(await openSharedStore(loaded));
}

/** The same for a store that is open. `close` closes it. */
export function administerRejected(shared: SharedStore) {
  const { shards, close } = shared;
  const admins = shards.map(administerShard);
  /** The shard that has an entry; the first one when it is gone, where every action is without effect. */
  const shardOf = async ({ id, job }: RejectedPayload) => {
    for (const admin of admins) if ((await admin.find(id)).some((one) => one.job === job)) return admin;
    return admins[0] as (typeof admins)[number];
  };
  return {
    /** The newest payloads. Default: all. */
    async list(limit?: number): Promise<RejectedList> {
      const lists = await Promise.all(admins.map((admin) => admin.list(limit)));
      const all = lists.flatMap(({ rejected }) => rejected);
      if (lists.length > 1) all.sort((left, right) => Date.parse(right.at) - Date.parse(left.at));
      return { rejected: all.slice(0, limit), total: lists.reduce((sum, { total }) => sum + total, 0) };
    },
    /** The payloads of jobs with this id, with complete data as long as the job has it. */
    find: async (id: string) => (await Promise.all(admins.map((admin) => admin.find(id)))).flat(),
    /** Puts a payload back on its queue, with its own data or `data` (JSON text). Idempotent. */
    retry: async (entry: RejectedPayload, data?: string) => (await shardOf(entry)).retry(entry, data),
    /** Deletes a payload and its job. Idempotent. */
    drop: async (entry: RejectedPayload) => (await shardOf(entry)).drop(entry),
    close,
  };
}

function administerShard({ store, openQueue }: SharedShard) {
  const jobs = new Map(JOBS.map((job) => [job.name, { job, queue: openQueue(job.name) }]));
  const queuedJobOf = ({ job: name }: RejectedPayload): QueuedJob => {
    const found = jobs.get(name);
    if (found === undefined) throw new RangeError(`there is no job named "${name}"`);
    return found;
  };
  const { rejected } = store;
  return {
    list: async (limit?: number): Promise<RejectedList> => ({
      rejected: await rejected.list(limit),
      total: await rejected.count(),
    }),
    async find(id: string): Promise<readonly RejectedPayload[]> {
      const found = await rejected.find(id, [...jobs.keys()]);
      return Promise.all(found.map((entry) => withAllData(store, queuedJobOf(entry).queue, entry)));
    },
    retry: (entry: RejectedPayload, data?: string) => retry(store, queuedJobOf(entry), entry, data),
    async drop(entry: RejectedPayload): Promise<void> {
      const { queue } = queuedJobOf(entry);
      if ((await queue.getJobState(entry.id)) === 'failed') {
        await queue.remove(entry.id, { removeChildren: false });
      }
      await rejected.remove(entry);
    },
  };
}

/** The entry with the job's data from Redis. BullMQ cannot read data that is not JSON. */
async function withAllData({ redis }: Store, queue: Queue, entry: RejectedPayload): Promise<RejectedPayload> {
  const data = await redis.hget(queue.toKey(entry.id), 'data');
  const { cut: _cut, ...others } = entry;
  return data === null ? entry : { ...others, data };
}

async function retry(
  store: Store,
  { job, queue }: QueuedJob,
  entry: RejectedPayload,
  corrected: string | undefined,
): Promise<RetriedPayload> {
  const named = { job: entry.job, id: entry.id };
  const { data, cut } =
    corrected === undefined ? await withAllData(store, queue, entry) : { data: corrected, cut: false };
  if (cut === true) return { ...named, outcome: 'gone' };
  try {
    const envelope = parseData(data);
    const { payload } = openEnvelope(job, envelope);
    const id = jobIdOf(job.name, job.key(job.requested?.own(payload, Date.now()) ?? payload));
    const lane = job.lane?.(payload);
    // A worker treats a job without a place in its lane as failed.
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
 * Runs the failed job again with this data, or adds it as `newId` when it is no longer in the queue. `false` when the job
 * exists and did not fail.
 */
async function putBack(queue: Queue, id: string, data: unknown, newId: string): Promise<boolean> {
  const state = await queue.getJobState(id);
  if (state === 'unknown') {
    await queue.add(queue.name, data, { jobId: newId });
    return true;
  }
  if (state !== 'failed') return false;
  // Not read from Redis, because the stored data may not be JSON.
  const job = new Job(queue, queue.name, data, {}, id);
  await job.updateData(data);
  await job.retry('failed', { resetAttemptsMade: true, resetAttemptsStarted: true });
  return true;
}
