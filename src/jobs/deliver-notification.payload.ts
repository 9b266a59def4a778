import { z } from 'zod';
import type { DeliveryIdentity } from '../model/delivery.ts';
import type { JobType } from './job-type.ts';
import { printableText } from './printable-text.ts';
import { scanId } from './scan-id.ts';
import { timestamp } from './timestamp.ts';

const schema = z.strictObject({
  scan: scanId,
  target: printableText(1, 200),
  route: z.string().min(1).max(200),
  requestedAt: timestamp,
  change: z.int().nonnegative().optional().describe('Only this one of the changes of the scan.'),
  digest: z.literal(true).optional().describe('`scan` is a periodic digest (`gather-digest`).'),
});

export type DeliverNotification = z.infer<typeof schema>;

/** One notification on its way to the receiver of a route. */
export const DELIVER_NOTIFICATION: JobType<DeliverNotification> = {
  name: 'deliver-notification',
  version: 1,
  schema,
  key: keyOf,
};

/** The payload of a delivery, for sending it again. */
export function payloadOf({ key, scan, target, route, date }: DeliveryIdentity): DeliverNotification {
  const part = key.slice(`${scan}.${route}.`.length);
  const what = part === 'digest' ? { digest: true as const } : part === '' ? {} : { change: Number(part) };
  return { scan, target, route, requestedAt: date, ...what };
}

function keyOf({ scan, route, change, digest }: DeliverNotification): string {
  const part = digest === true ? '.digest' : change === undefined ? '' : `.${change}`;
  return `${scan}.${route}${part}`;
}
