import { type FollowUp, followUp } from '../jobs/follow-up.ts';
import { jobIdOf } from '../jobs/job-id.ts';
import { DELIVER_NOTIFICATION, payloadOf } from '../jobs/payloads/deliver-notification.ts';
import type { Store } from './store.ts';

/**
 * Deliveries that are recorded as under way while no open job would send them: Redis lost the job, or the record of how it
 * ended. They are sent (again), under the ids they have.
 */
export async function* leftoverDeliveries({
  deliveries,
  openJobs,
}: Pick<Store, 'deliveries' | 'openJobs'>): AsyncGenerator<FollowUp> {
  for (const id of await deliveries.list(['open'])) {
    const record = await deliveries.find(id);
    if (
      record === undefined ||
      (await openJobs.find(jobIdOf(DELIVER_NOTIFICATION.name, record.key))) !== undefined
    )
      continue;
    // What was under way a moment ago may be done by now.
    const state = (await deliveries.find(id))?.state;
    if (state === undefined || state === 'delivered' || state === 'failed') continue;
    yield followUp(DELIVER_NOTIFICATION, payloadOf(record));
  }
}
