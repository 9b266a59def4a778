import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { DeliveryIdentity, FiledDelivery } from '../../model/alert/delivery.ts';
import type { Notification } from '../../model/alert/notification.ts';
import { defined } from '../../model/defined.ts';
import { lazily } from '../../model/lazily.ts';
import { type FollowUp, followUp, type JobType } from '../job.ts';
import { printableText, scanId, timestamp } from './fields.ts';

const schema = lazily(() =>
  z.strictObject({
    scan: scanId(),
    target: printableText(1, 200),
    route: z.string().min(1).max(200),
    requestedAt: timestamp(),
    change: z.int().nonnegative().optional().describe('Only this one of the changes of the scan.'),
    after: z
      .int()
      .positive()
      .optional()
      .describe(
        'The changes of the scan for this route after the first so many, which are sent individually.',
      ),
    first: z
      .enum(['opened', 'resolved'])
      .optional()
      .describe("Only the changes whose findings the summary of the target's first scan reports."),
    content: z
      .string()
      .regex(/^[0-9a-f]{16}$/)
      .optional()
      .describe(
        'Hash of the content and of the earlier alerts: if one of them differs, the alert has another id.',
      ),
    digest: z.literal(true).optional().describe('`scan` is a periodic digest (`gather-digest`).'),
  }),
);

export type DeliverNotification = z.infer<ReturnType<typeof schema>>;

/** Sends one notification to the receiver of a route. */
export const DELIVER_NOTIFICATION: JobType<DeliverNotification> = {
  name: 'deliver-notification',
  version: 1,
  schema,
  key: keyOf,
};

/** The payload of a recorded delivery, for sending it again. */
export function payloadOf(identity: DeliveryIdentity): DeliverNotification {
  const { key, scan, target, route, date, content } = identity;
  const part = key.slice(`${scan}.${route}.`.length);
  const after = /^after(\d+)$/.exec(part)?.[1];
  const common = { scan, target, route, requestedAt: date, content };
  if (part === '') return common;
  if (part === 'digest') return { ...common, digest: true };
  if (part === 'first-opened') return { ...common, first: 'opened' };
  if (part === 'first-resolved') return { ...common, first: 'resolved' };
  return after === undefined ? { ...common, change: Number(part) } : { ...common, after: Number(after) };
}

/** The identity of a delivery; depends on its payload alone. */
export function identityOf(payload: DeliverNotification): DeliveryIdentity {
  const { scan, target, route, requestedAt: date, change, after, first, content } = payload;
  // It includes the date, so that installations with equal scan ids have different notification ids.
  const part = change ?? (after === undefined ? first : `after${after}`);
  const digest = createHash('sha256')
    .update(
      JSON.stringify([scan, target, route, date, ...[part, content].filter((one) => one !== undefined)]),
    )
    .digest('hex');
  return {
    ...{ id: `msg_${digest.slice(0, 32)}`, key: keyOf(payload), route, target, scan, date },
    ...defined({ content }),
  };
}

/** The job of a delivery, and the record to store. Sets `id` and `route` of the notification. `told`: see `contentOf`. */
export function plannedDelivery(
  given: DeliverNotification,
  notification: Omit<Notification, 'id' | 'route'>,
  told?: string,
): { readonly next: FollowUp; readonly filed: FiledDelivery } {
  const payload = { ...given, content: contentOf(notification, told) };
  const identity = identityOf(payload);
  const { id, route } = identity;
  return {
    next: followUp(DELIVER_NOTIFICATION, payload),
    filed: { identity, notification: { ...notification, id, route } },
  };
}

function keyOf({ scan, route, change, after, first, digest }: DeliverNotification): string {
  const parts = [scan, route];
  if (digest === true) parts.push('digest');
  else if (change !== undefined) parts.push(String(change));
  else if (after !== undefined) parts.push(`after${after}`);
  else if (first !== undefined) parts.push(`first-${first}`);
  return parts.join('.');
}

/**
 * Returns a hash of the content and of all earlier alerts of its targets (`TargetState.told`), 16 hexadecimal digits. After Redis has lost
 * verdicts, scans are judged again, possibly with other results or in another order. Their alerts then have other ids, so that receivers
 * do not drop them as repetitions.
 */
export function contentOf(
  { changes, open, gaps }: Pick<Notification, 'changes' | 'open' | 'gaps'>,
  told?: string,
): string {
  const before = told === undefined ? [] : [told];
  const hash = createHash('sha256').update(JSON.stringify([open, gaps, ...before]));
  for (const { transition, finding } of changes) {
    hash.update(`\n${transition} ${finding.fingerprint} ${finding.severity}`);
  }
  return hash.digest('hex').slice(0, 16);
}
