import type { Logger } from 'pino';
import { JOBS } from '../jobs/catalog.ts';
import { EnvelopeError, openEnvelope, parseData } from '../jobs/envelope.ts';
import { type AnyJob, type FollowUp, followUp, jobIdOf } from '../jobs/job.ts';
import { DELIVER_NOTIFICATION, payloadOf } from '../jobs/payloads/deliver-notification.ts';
import { closing } from '../model/closing.ts';
import type { RejectedPayload } from '../model/queue/rejected-payload.ts';
import { KEPT_REJECTED } from '../store/rejected.ts';
import { isRefusal } from '../workers/failure.ts';
import { createPass } from '../workers/reconciler.ts';
import { openFlow } from '../workers/runtime.ts';
import type { Store } from './store.ts';

/**
 * Jobs for deliveries that are recorded as open although no open job would send them: Redis lost the job or its outcome.
 * They are sent, possibly again, under their existing ids.
 */
async function* orphanedDeliveries({
  deliveries,
  openJobs,
}: Pick<Store, 'deliveries' | 'openJobs'>): AsyncGenerator<FollowUp> {
  for (const id of await deliveries.list(['open'])) {
    const record = await deliveries.find(id);
    if (record === undefined) continue;
    if ((await openJobs.find(jobIdOf(DELIVER_NOTIFICATION.name, record.key))) !== undefined) continue;
    // The delivery may have ended since its record was read.
    const state = (await deliveries.find(id))?.state;
    if (state === undefined || state === 'delivered' || state === 'failed') continue;
    yield followUp(DELIVER_NOTIFICATION, payloadOf(record));
  }
}

/** Refused payloads whose reason Redis has lost: only the lists of failed jobs have them. */
async function* unexplainedPayloads({
  queueDepths,
  rejected,
}: Pick<Store, 'queueDepths' | 'rejected'>): AsyncGenerator<RejectedPayload> {
  // Older ones were removed for newer ones.
  if ((await rejected.count()) >= KEPT_REJECTED) return;
  for (const job of JOBS) {
    for (const { id, reason } of await queueDepths.failedJobs(job.name, KEPT_REJECTED)) {
      if (!isRefusal(reason) || (await rejected.has({ job: job.name, id }))) continue;
      // A payload that is put back or deleted is no failed job any more when its reason is removed.
      const failed = await queueDepths.failedJob(job.name, id);
      if (failed === undefined) continue;
      const { data, at } = failed;
      const issues = faultsOf(job, parseData(data)) ?? [{ path: '(root)', reason }];
      yield { at: new Date(at).toISOString(), job: job.name, id, issues, data };
    }
  }
}

/** Returns what is wrong in the data of a job; `undefined` when nothing is. */
function faultsOf(job: AnyJob, data: unknown): RejectedPayload['issues'] | undefined {
  try {
    openEnvelope(job, data);
    return undefined;
  } catch (error) {
    if (error instanceof EnvelopeError) return [...error.issues];
    throw error;
  }
}

/** Work that Redis has lost, which the reconciler restores. */
export const lostWork = (store: Store) => ({
  orphans: () => orphanedDeliveries(store),
  unexplained: () => unexplainedPayloads(store),
});

/** Makes one pass of the reconciler, as a worker does every minute: lost jobs are queued again, and lanes go on. */
export async function reconcileOnce(store: Store, log: Logger): Promise<void> {
  const onError = (error: Error): void => log.warn({ error: error.message }, 'queue connection');
  const opened = { ...store, connection: store.redis };
  await closing(openFlow(JOBS, opened, onError, { skipMetasUpdate: true }), ({ flow }) =>
    createPass(lostWork(store), { flow, log, reject: store.rejected.add })(),
  );
}
