import { setTimeout as sleep } from 'node:timers/promises';
import type { Queue } from 'bullmq';
import type { FleetStore } from '../../compose/fleet-store.ts';
import { deliverNotification } from '../../jobs/deliver-notification.ts';
import { openEnvelope } from '../../jobs/envelope.ts';
import { followUp } from '../../jobs/job.ts';
import { DELIVER_NOTIFICATION, identityOf, payloadOf } from '../../jobs/payloads/deliver-notification.ts';
import type { DeliveryRecord } from '../../model/alert/delivery.ts';
import { openJobOf } from '../../workers/flow.ts';
import { ensureQueued, promoteJob } from '../../workers/queued-jobs.ts';
import type { FoundDelivery } from './select.ts';

/** Limit of the wait for a worker that is recording a failure. If it died, another worker claims the job later. */
const SETTLE_LIMIT_MS = 2_000;

const JOBS = new Map([[deliverNotification.name, deliverNotification]]);

/**
 * Deliveries in the order in which they were originally due: by the time at which they were filed, by scan, and within a scan in the order
 * of its changes. A scan that was requested earlier than another one may be judged later: the dates of scans do not show their order.
 */
export function inReplayOrder<Found extends { readonly delivery: DeliveryRecord }>(
  found: readonly Found[],
): readonly Found[] {
  const position = ({ delivery }: Found): number => {
    const { change, after } = payloadOf(delivery);
    return change ?? after ?? 0;
  };
  return found.toSorted(
    (left, right) =>
      Date.parse(left.delivery.filedAt) - Date.parse(right.delivery.filedAt) ||
      left.delivery.scan.localeCompare(right.delivery.scan) ||
      position(left) - position(right),
  );
}

/**
 * Puts the job of a delivery on its queue again. Idempotent: a repeat completes what was interrupted. The job is opened first, because a
 * worker treats a job without a place in its lane as failed.
 */
export async function sendAgain({ queueOf }: FleetStore, { delivery, shard }: FoundDelivery): Promise<void> {
  const { name } = deliverNotification;
  const queue = await queueOf(shard, name);
  const open = openJobOf(JOBS, followUp(DELIVER_NOTIFICATION, payloadOf(delivery)));
  if (delivery.state === 'failed') await untilSettled(queue, open.id);
  await shard.openJobs.open(open);
  await shard.deliveries.move(delivery, { state: 'waiting', reason: 'sent again on request' });
  const queued = await ensureQueued(queue, open.id, {
    isOpen: async () => true,
    add: () => queue.add(name, open.data, { jobId: open.id }),
  });
  if (queued === 'queued-already') await promoteJob(queue, open.id);
}

/** The id of the first delivery in the lane of this one, which is usually this one. */
export async function firstInLane({ delivery, shard: { openJobs } }: FoundDelivery): Promise<string> {
  const { id, lane = '' } = openJobOf(JOBS, followUp(DELIVER_NOTIFICATION, payloadOf(delivery)));
  const turn = await openJobs.turn({ lane, id });
  const first = turn.kind === 'waiting' ? await openJobs.find(turn.first) : undefined;
  return first === undefined
    ? delivery.id
    : identityOf(openEnvelope(deliverNotification, first.data).payload).id;
}

/** Waits for a worker that records the failure of a job and then leaves the lane, which would undo changes in between. */
async function untilSettled(queue: Queue, jobId: string): Promise<void> {
  const until = performance.now() + SETTLE_LIMIT_MS;
  while ((await queue.getJobState(jobId)) === 'active' && performance.now() < until) await sleep(50);
}
