import { Job, type Queue } from 'bullmq';
import type { FleetStore } from '../../compose/fleet-store.ts';
import type { Store } from '../../compose/store.ts';
import { JOBS } from '../../jobs/catalog.ts';
import { EnvelopeError, openEnvelope, parseData, sealEnvelope } from '../../jobs/envelope.ts';
import { jobIdOf } from '../../jobs/job.ts';
import type { RejectedPayload, RetriedPayload } from '../../model/queue/rejected-payload.ts';
import { notFound } from '../context.ts';

/** A rejected payload with the shard and the queue of its job. Its data is complete as long as the job has it. */
export interface FoundPayload {
  readonly entry: RejectedPayload;
  readonly shard: Store;
  readonly queue: Queue;
}

/** The rejected payload of a job. Throws `Refusal`. */
export async function findPayload(
  fleet: FleetStore,
  { job, id }: { readonly job: string; readonly id: string },
): Promise<FoundPayload> {
  for (const shard of fleet.shards) {
    const [entry] = await shard.rejected.find(id, [job]);
    if (entry !== undefined) return await foundPayload(fleet, shard, entry);
  }
  throw notFound(`${job} has no rejected payload ${id}: see \`lockhound rejected\``);
}

/** All rejected payloads. */
export async function allPayloads(fleet: FleetStore): Promise<readonly FoundPayload[]> {
  const found = fleet.shards.map(async (shard) => {
    const entries = await shard.rejected.list();
    return await Promise.all(entries.map((entry) => foundPayload(fleet, shard, entry)));
  });
  return (await Promise.all(found)).flat();
}

async function foundPayload(fleet: FleetStore, shard: Store, entry: RejectedPayload): Promise<FoundPayload> {
  const queue = await fleet.queueOf(shard, entry.job);
  // BullMQ cannot read data that is not JSON.
  const data = await shard.redis.hget(queue.toKey(entry.id), 'data');
  const { cut: _cut, ...others } = entry;
  return { entry: data === null ? entry : { ...others, data }, shard, queue };
}

/** Deletes a payload and its job. Idempotent. */
export async function dropPayload({ entry, shard, queue }: FoundPayload): Promise<void> {
  if ((await queue.getJobState(entry.id)) === 'failed')
    await queue.remove(entry.id, { removeChildren: false });
  await shard.rejected.remove(entry);
}

/** Puts a payload back on its queue, with its own data or with corrected data (JSON text). Idempotent. */
export async function retryPayload(
  { entry, shard, queue }: FoundPayload,
  corrected?: string,
): Promise<RetriedPayload> {
  const named = { job: entry.job, id: entry.id };
  const job = JOBS.find(({ name }) => name === entry.job);
  // A job of another release.
  if (job === undefined)
    return {
      ...named,
      outcome: 'invalid',
      issues: [{ path: 'job', reason: `there is no job ${entry.job}` }],
    };
  if (corrected === undefined && entry.cut === true) return { ...named, outcome: 'gone' };
  try {
    const envelope = parseData(corrected ?? entry.data);
    const { payload } = openEnvelope(job, envelope);
    const id = jobIdOf(job.name, job.key(job.requested?.own(payload, Date.now()) ?? payload));
    const lane = job.lane?.(payload);
    // A worker treats a job without a place in its lane as failed.
    if (lane !== undefined)
      await shard.openJobs.open({ id, job: job.name, lane, data: sealEnvelope(job, payload) });
    if (!(await putBack(queue, entry.id, envelope, id))) return { ...named, outcome: 'under-way' };
    await shard.rejected.remove(entry);
    return { ...named, outcome: 'queued' };
  } catch (error) {
    if (!(error instanceof EnvelopeError)) throw error;
    return { ...named, outcome: 'invalid', issues: error.issues };
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
