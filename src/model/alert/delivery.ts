import { z } from 'zod';
import type { ValueOf } from '../stored/kind.ts';
import type { Notification } from './notification.ts';

/** Hashes in Redis hold text; times in ms since 1970, and '' for what is absent. */
const present = z.string().min(1);
const whole = z.coerce.number().int().nonnegative();
const time = whole.transform((ms) => new Date(ms).toISOString());
const optional = <Schema extends z.ZodType>(schema: Schema) =>
  z.union([z.literal('').transform(() => undefined), schema]).optional();

/** The identity of a delivery: one notification for one receiver. */
export type DeliveryIdentity = ValueOf<typeof identitySchema>;

const identitySchema = z.object({
  /** Id of the notification, the receiver's `webhook-id`. */
  id: present,
  /** Key of the job that delivers it. */
  key: present,
  route: present,
  target: present,
  scan: present,
  /** When the scan was requested, RFC 3339. Deliveries of a target are sent in this order. */
  date: present,
  /** Hash of its content. */
  content: optional(present),
});

/** The state of a delivery. Times are RFC 3339. */
export type DeliveryRecord = ValueOf<typeof deliveryRecordSchema>;

/**
 * - `waiting`: not sent yet, usually because an earlier one of the same target is not done.
 * - `retrying`: the receiver did not accept it; another attempt follows.
 * - `held`: its route is stopped; it is sent once an operator resumes the route.
 * - `failed`: failed permanently; stored until an operator retries it.
 */
export type DeliveryState = DeliveryRecord['state'];

export const deliveryRecordSchema = identitySchema.extend({
  state: z.enum(['waiting', 'retrying', 'held', 'delivered', 'failed']),
  /** Why it is not delivered, in words. */
  reason: optional(present),
  /** Number of its changes, listed or only counted. */
  changes: whole,
  filedAt: time,
  updatedAt: time,
  nextAttemptAt: optional(time),
  /** Number of attempts, including those that are no longer stored. */
  attempts: whole,
  lastStatus: optional(whole),
});

/** A route that sends nothing until an operator resumes it. */
export type StoppedRoute = ValueOf<typeof stoppedRouteSchema>;

export const stoppedRouteSchema = z.object({
  route: z.string(),
  /** RFC 3339. */
  at: z.string(),
  reason: z.string(),
});

/** One attempt to send a notification to its receiver. Holds no secret. */
export type DeliveryAttempt = ValueOf<typeof deliveryAttemptSchema>;

export const deliveryAttemptSchema = z.object({
  at: z.string(),
  durationMs: z.number(),
  /** Size of the body that was sent. */
  bytes: z.number().exactOptional(),
  /** Number of changes that the body only counts. */
  leftOut: z.number().exactOptional(),
  status: z.number().exactOptional(),
  error: z.string().exactOptional(),
  /** First KiB of the answer, without control characters. */
  answer: z.string().exactOptional(),
});

/** A delivery with its notification: the outcomes that it was built from may expire. */
export interface FiledDelivery {
  readonly identity: DeliveryIdentity;
  readonly notification: Notification;
}

/** A step of a delivery. */
export interface DeliveryMove {
  readonly state: DeliveryState;
  readonly reason?: string;
  /** Milliseconds until the next attempt. */
  readonly nextInMs?: number;
}

/** The result of sending a notification by its route. */
export type DeliveryAnswer =
  | { readonly kind: 'delivered'; readonly receipt: DeliveryReceipt }
  /** The route is stopped: nothing is sent until an operator resumes it. */
  | { readonly kind: 'held'; readonly reason: string }
  /** The delivery was not sent: the route is at its limit, or not provisioned yet. */
  | { readonly kind: 'later'; readonly reason: string };

/** The answer of a receiver that accepted a delivery. */
export interface DeliveryReceipt {
  readonly id: string;
  readonly route: string;
  readonly status: number;
  readonly answer: string;
}
