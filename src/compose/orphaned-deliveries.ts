import { type FollowUp, followUp } from '../jobs/follow-up.ts';
import { jobIdOf } from '../jobs/job-id.ts';
import { DELIVER_NOTIFICATION, payloadOf } from '../jobs/payloads/deliver-notification.ts';
import type { Store } from './store.ts';

/**
 * Jobs for deliveries that are recorded as open although no open job would send them: Redis lost the job or its outcome.
 * They are sent, possibly again, under their existing ids.
 */
export async function* orphanedDeliveries({
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
