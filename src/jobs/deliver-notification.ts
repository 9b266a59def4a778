import type { DeliveryIdentity, DeliveryMove, DeliveryReceipt } from '../model/alert/delivery.ts';
import type { Notification } from '../model/alert/notification.ts';
import type { Verdict } from '../model/scan/verdict.ts';
import { GATHERED_DIGEST, VERDICT } from '../model/stored/catalog.ts';
import { checkContract } from './check-contract.ts';
import { JobError } from './errors.ts';
import { gatherDigest } from './gather-digest.ts';
import type { AttemptEnding, Job } from './job.ts';
import {
  DELIVER_NOTIFICATION,
  type DeliverNotification,
  identityOf,
} from './payloads/deliver-notification.ts';
import { FIND_BASE_IMAGE, JUDGE_SCAN } from './payloads/judge-scan.ts';
import { JUDGE_SOURCE } from './payloads/sources.ts';
import type { OutcomePort, Ports } from './ports.ts';
import { checkFreshness } from './refresh/check-freshness.ts';
import { judgeTarget } from './refresh/judge-target.ts';
import { notificationOf } from './scan/deliveries.ts';

type Needs = 'outcomes' | 'notifier' | 'deliveries';

/**
 * Sends changes of one scan, or a periodic digest, to the receiver of a route. The notification's id depends on the payload
 * alone, so that receivers recognise a repetition after a crash. The deliveries of a target and route are sent in order.
 */
export const deliverNotification: Job<DeliverNotification, DeliveryReceipt, Needs> = {
  ...DELIVER_NOTIFICATION,
  limits: { attempts: 24, backoffMs: 2_000, maxBackoffMs: 7_200_000, timeoutMs: 60_000, concurrency: 24 },
  // Workers that die during a delivery are not killed by it, for example in a deployment: the alert must not be lost.
  runsAfterStalls: true,
  endsWithOutcome: true,
  lane: ({ target, route }) => `deliver-notification:${route}:${target}`,
  async run(payload, ports, { signal }) {
    const read = () => filedNotification(payload, ports);
    const answer = await ports.notifier.deliver(payload.route, read, signal);
    if (answer.kind === 'delivered') {
      return { result: answer.receipt, next: [], delivered: identityOf(payload) };
    }
    throw new JobError(answer.kind === 'held' ? 'route-held' : 'route-later', answer.reason, {
      retryable: true,
    });
  },
  // The wait may be longer than the verdict is stored.
  whileWaiting: async (payload, ports) => void (await filedNotification(payload, ports)),
  log: ({ scan, target, route }, { status }) => ({ facts: { scan, target, route, status } }),
  spent: 'own',
  async onEnd(payload, ending, { deliveries }) {
    const move = moveOf(ending);
    if (move !== undefined) await deliveries.move(identityOf(payload), move);
  },
};

/** The stored notification. One that is not stored yet is built from the verdict and stored. */
async function filedNotification(
  payload: DeliverNotification,
  { outcomes, deliveries }: Pick<Ports, Needs>,
): Promise<Notification> {
  const identity = identityOf(payload);
  const known = await deliveries.read(identity.id);
  if (known !== undefined) return known;
  const notification = await buildNotification(identity, payload, outcomes);
  await deliveries.file(identity, notification);
  return notification;
}

/** Deliveries are filed when their scan is judged; those of release 0.1.0 are built from its outcomes. */
async function buildNotification(
  { id, route }: DeliveryIdentity,
  payload: DeliverNotification,
  outcomes: OutcomePort,
): Promise<Notification> {
  const { scan } = payload;
  if (payload.digest === true) {
    const gathered = await outcomes.read(GATHERED_DIGEST, gatherDigest.name, scan);
    if (gathered?.notification == null) throw missing(`the digest ${scan}`);
    return { ...gathered.notification, id, route };
  }
  const verdict = await readVerdict(outcomes, scan);
  if (verdict === undefined) throw missing(`the verdict of scan ${scan}`);
  return { ...notificationOf(verdict, payload), id, route };
}

function missing(what: string): JobError {
  return new JobError('facts-missing', `${what} is no longer in the store`);
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

/** Jobs whose outcome is a verdict. */
const JUDGES = [
  JUDGE_SCAN.name,
  checkContract.name,
  JUDGE_SOURCE.name,
  checkFreshness.name,
  judgeTarget.name,
  FIND_BASE_IMAGE.name,
];

/** The verdict of a scan or contract check; `undefined` when it is not in the store. */
async function readVerdict(outcomes: OutcomePort, scan: string): Promise<Verdict | undefined> {
  for (const job of JUDGES) {
    const verdict = await outcomes.read(VERDICT, job, scan);
    if (verdict !== undefined) return verdict;
  }
  return undefined;
}
