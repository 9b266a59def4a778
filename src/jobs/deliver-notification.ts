import type { DeliveryMove, DeliveryReceipt } from '../model/alert/delivery.ts';
import type { Notification } from '../model/alert/notification.ts';
import { JobError } from './errors.ts';
import type { AttemptEnding, Job } from './job.ts';
import type { DeliverNotification } from './payloads/deliver-notification.ts';
import { DELIVER_NOTIFICATION, identityOf } from './payloads/deliver-notification.ts';
import type { Ports } from './ports.ts';

/**
 * Sends changes of one scan, or a periodic digest, to the receiver of a route. The notification's id depends on the payload
 * alone, so that receivers recognise a repetition after a crash. The deliveries of a target and route are sent in order.
 */
export const deliverNotification: Job<DeliverNotification, DeliveryReceipt, 'notifier' | 'deliveries'> = {
  ...DELIVER_NOTIFICATION,
  limits: { attempts: 24, backoffMs: 2_000, maxBackoffMs: 7_200_000, timeoutMs: 60_000, concurrency: 24 },
  // Workers that die during a delivery are not killed by it, for example in a deployment: the alert must not be lost.
  runsAfterStalls: true,
  lane: ({ target, route }) => `deliver-notification:${route}:${target}`,
  async run(payload, ports, { signal }) {
    const read = () => filedNotification(payload, ports.deliveries);
    const answer = await ports.notifier.deliver(payload.route, read, signal);
    if (answer.kind === 'delivered') {
      return { result: answer.receipt, next: [], delivered: identityOf(payload) };
    }
    throw new JobError(answer.kind === 'held' ? 'route-held' : 'route-later', answer.reason, {
      retryable: true,
    });
  },
  // Redis may lose it together with the outcome: the job that it follows from files it again.
  hasInput: async (payload, { deliveries }) => (await deliveries.read(identityOf(payload).id)) !== undefined,
  log: ({ scan, target, route }, { status }) => ({ facts: { scan, target, route, status } }),
  spent: 'own',
  async onEnd(payload, ending, { deliveries }) {
    const move = moveOf(ending);
    if (move !== undefined) await deliveries.move(identityOf(payload), move);
  },
};

/** The notification that was stored when its scan was judged. */
async function filedNotification(
  payload: DeliverNotification,
  deliveries: Ports['deliveries'],
): Promise<Notification> {
  const { id, scan } = identityOf(payload);
  const filed = await deliveries.read(id);
  if (filed === undefined) {
    throw new JobError('facts-missing', `the notification ${id} of scan ${scan} is no longer in the store`);
  }
  return filed;
}

function moveOf(ending: AttemptEnding): DeliveryMove | undefined {
  switch (ending.kind) {
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
