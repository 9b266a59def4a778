import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { DeliveryIdentity, FiledDelivery } from '../../model/alert/delivery.ts';
import type { Notification } from '../../model/alert/notification.ts';
import { type FollowUp, followUp } from '../follow-up.ts';
import type { JobType } from '../job-type.ts';
import { contentOf } from '../notification-content.ts';
import { printableText, scanId, timestamp } from './fields.ts';

const schema = z.strictObject({
  scan: scanId,
  target: printableText(1, 200),
  route: z.string().min(1).max(200),
  requestedAt: timestamp,
  change: z.int().nonnegative().optional().describe('Only this one of the changes of the scan.'),
  after: z
    .int()
    .positive()
    .optional()
    .describe('The changes of the scan by this route but the first so many, which are sent one by one.'),
  first: z
    .enum(['opened', 'resolved'])
    .optional()
    .describe("Only those changes whose findings are told in the summary of the target's first scan."),
  content: z
    .string()
    .regex(/^[0-9a-f]{16}$/)
    .optional()
    .describe('What is said: a repeat that says something else has another id.'),
  digest: z.literal(true).optional().describe('`scan` is a periodic digest (`gather-digest`).'),
});

export type DeliverNotification = z.infer<typeof schema>;

/** One notification on its way to the receiver of a route. */
export const DELIVER_NOTIFICATION: JobType<DeliverNotification> = {
  name: 'deliver-notification',
  version: 2,
  schema,
  // Version 1 did not say what is said, and its ids do not depend on it.
  upgrades: { 1: (payload) => payload },
  key: keyOf,
};

/** The payload of a delivery, for sending it again. */
export function payloadOf(identity: DeliveryIdentity): DeliverNotification {
  const { key, scan, target, route, date, content } = identity;
  const part = key.slice(`${scan}.${route}.`.length);
  const after = /^after(\d+)$/.exec(part)?.[1];
  const said = content === undefined ? {} : { content };
  const common = { scan, target, route, requestedAt: date, ...said };
  if (part === '') return common;
  if (part === 'digest') return { ...common, digest: true };
  if (part === 'first-opened') return { ...common, first: 'opened' };
  if (part === 'first-resolved') return { ...common, first: 'resolved' };
  return after === undefined ? { ...common, change: Number(part) } : { ...common, after: Number(after) };
}

/** What identifies a delivery; depends on its payload alone. */
export function identityOf(payload: DeliverNotification): DeliveryIdentity {
  const { scan, target, route, requestedAt: date, change, after, first, content } = payload;
  // With the time in it, installations whose producers number their scans alike do not take each other's ids.
  const part = change ?? (after === undefined ? first : `after${after}`);
  const digest = createHash('sha256')
    .update(
      JSON.stringify([scan, target, route, date, ...[part, content].filter((one) => one !== undefined)]),
    )
    .digest('hex');
  const said = content === undefined ? {} : { content };
  return { id: `msg_${digest.slice(0, 32)}`, key: keyOf(payload), route, target, scan, date, ...said };
}

/** A delivery to be made: its job, and what is filed of it. `id` and `route` of the notification are set here. */
export function plannedDelivery(
  unsaid: DeliverNotification,
  notification: Omit<Notification, 'id' | 'route'>,
): { readonly next: FollowUp; readonly filed: FiledDelivery } {
  const payload = { ...unsaid, content: contentOf(notification) };
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
