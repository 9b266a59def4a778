import type { DeliveryIdentity, DeliveryMove, DeliveryReceipt } from '../model/alert/delivery.ts';
import type { Notification } from '../model/alert/notification.ts';
import { GATHERED_DIGEST } from '../model/stored/catalog.ts';
import { JobError } from './errors.ts';
import type { AttemptEnding, Job } from './job.ts';
import {
  DELIVER_NOTIFICATION,
  type DeliverNotification,
  identityOf,
} from './payloads/deliver-notification.ts';
import type { OutcomePort, Ports } from './ports.ts';
import { notificationOf } from './scan/deliveries.ts';
import { readVerdict } from './scan/read-verdict.ts';

type Needs = 'outcomes' | 'notifier' | 'deliveries';

/**
 * Sends the changes of one scan by one route, together or one of them, or a periodic digest. The notification's id
 * depends on the payload alone, so a repeat after a crash carries the same one and the receiver drops it. The deliveries
 * of one target go out in order.
 */
export const deliverNotification: Job<DeliverNotification, DeliveryReceipt, Needs> = {
  ...DELIVER_NOTIFICATION,
  limits: { attempts: 24, backoffMs: 2_000, maxBackoffMs: 7_200_000, timeoutMs: 60_000, concurrency: 24 },
  needs: ['outcomes', 'notifier', 'deliveries'],
  // What kills workers is not a delivery: an alert is never given up because deployments were not graceful.
  runsAfterStalls: true,
  lane: ({ target, route }) => `deliver-notification:${route}:${target}`,
  async run(payload, ports, { signal }) {
    const notification = await filed(payload, ports);
    const answer = await ports.notifier.deliver(payload.route, notification, signal);
    if (answer.kind === 'delivered') return { result: answer.receipt, next: [] };
    throw new JobError(answer.kind === 'held' ? 'route-held' : 'route-later', answer.reason, {
      retryable: true,
    });
  },
  // Waiting may take longer than the verdict is kept.
  whileWaiting: async (payload, ports) => void (await filed(payload, ports)),
  log: ({ scan, target, route }, { status }) => ({ facts: { scan, target, route, status } }),
  spent: (payload) => ({
    marked: [{ job: 'deliver-notification', key: DELIVER_NOTIFICATION.key(payload) }],
    removed: [],
  }),
  async onEnd(payload, ending, { deliveries }) {
    const move = moveOf(ending);
    if (move !== undefined) await deliveries.move(identityOf(payload), move);
  },
};

/** The notification as it was put away, or else made of the verdict and put away. */
async function filed(
  payload: DeliverNotification,
  { outcomes, deliveries }: Pick<Ports, Needs>,
): Promise<Notification> {
  const identity = identityOf(payload);
  const known = await deliveries.read(identity.id);
  if (known !== undefined) return known;
  const notification = await made(identity, payload, outcomes);
  await deliveries.file(identity, notification);
  return notification;
}

/** Deliveries are filed when their scan is judged; those of release 0.1.0 are made of its outcomes. */
async function made(
  { id, route }: DeliveryIdentity,
  payload: DeliverNotification,
  outcomes: OutcomePort,
): Promise<Notification> {
  const { scan } = payload;
  if (payload.digest === true) {
    const gathered = await outcomes.read(GATHERED_DIGEST, 'gather-digest', scan);
    if (gathered?.notification == null) throw gone(`the digest ${scan}`);
    return { ...gathered.notification, id, route };
  }
  const verdict = await readVerdict(outcomes, scan);
  if (verdict === undefined) throw gone(`the verdict of scan ${scan}`);
  return { ...notificationOf(verdict, payload), id, route };
}

function gone(what: string): JobError {
  return new JobError('facts-missing', `${what} is not in the store any more`);
}

function moveOf(ending: AttemptEnding): DeliveryMove | undefined {
  switch (ending.kind) {
    case 'done':
      return { state: 'delivered' };
    case 'retry':
      return { state: 'retrying', reason: ending.reason, nextInMs: ending.delayMs };
    case 'failed':
      return { state: 'failed', reason: ending.reason };
    case 'postponed':
      if (ending.code === 'route-held') return { state: 'held', reason: ending.reason };
      return ending.code === 'route-later'
        ? { state: 'waiting', reason: ending.reason, nextInMs: ending.delayMs }
        : undefined;
  }
}
