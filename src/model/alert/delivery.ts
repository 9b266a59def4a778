import type { Notification, NotifiedChange } from './notification.ts';

/**
 * - `waiting`: not sent yet, usually because an earlier one of the same target is not done.
 * - `retrying`: the receiver did not accept it; another attempt follows.
 * - `held`: its route is stopped; it is sent once an operator resumes the route.
 * - `failed`: failed permanently; stored until an operator retries it.
 */
export type DeliveryState = 'waiting' | 'retrying' | 'held' | 'delivered' | 'failed';

/** What identifies a delivery: one notification for one receiver. */
export interface DeliveryIdentity {
  /** Id of the notification, the receiver's `webhook-id`. */
  readonly id: string;
  /** Key of the job that delivers it. */
  readonly key: string;
  readonly route: string;
  readonly target: string;
  readonly scan: string;
  /** When the scan was requested, RFC 3339. Deliveries of a target are sent in this order. */
  readonly date: string;
  /** Hash of its content; unset in deliveries of release 0.1.0. */
  readonly content?: string | undefined;
}

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

/** The state of a delivery. Times are RFC 3339. */
export interface DeliveryRecord extends DeliveryIdentity {
  readonly state: DeliveryState;
  /** Why it is not delivered, in words. */
  readonly reason?: string | undefined;
  /** Number of its changes, listed or only counted. */
  readonly changes: number;
  readonly filedAt: string;
  readonly updatedAt: string;
  readonly nextAttemptAt?: string | undefined;
  /** Number of attempts, including those that are no longer stored. */
  readonly attempts: number;
  readonly lastStatus?: number | undefined;
}

/** A route that sends nothing until an operator resumes it. */
export interface StoppedRoute {
  readonly route: string;
  /** RFC 3339. */
  readonly at: string;
  readonly reason: string;
}

/** The result of sending a notification by its route. */
export type DeliveryAnswer =
  | { readonly kind: 'delivered'; readonly receipt: DeliveryReceipt }
  /** The route is stopped: nothing is sent until an operator resumes it. */
  | { readonly kind: 'held'; readonly reason: string }
  /** Nothing was sent: the route is at its limit, or not provisioned yet. */
  | { readonly kind: 'later'; readonly reason: string };

/** One attempt to send a notification to its receiver. Holds no secret. */
export interface DeliveryAttempt {
  readonly at: string;
  readonly durationMs: number;
  /** Of the body that was sent. */
  readonly bytes?: number;
  /** Number of changes that the body only counts. */
  readonly leftOut?: number;
  readonly status?: number;
  readonly error?: string;
  /** First KiB of the answer, without control characters. */
  readonly answer?: string;
}

/** The answer of a receiver that accepted a delivery. */
export interface DeliveryReceipt {
  readonly id: string;
  readonly route: string;
  readonly status: number;
  readonly answer: string;
}

/** The result of sending a delivery again. `delivered` and `held` deliveries are not changed. */
export interface RetriedDelivery {
  readonly id: string;
  readonly outcome: 'queued' | 'delivered' | 'held' | 'unknown';
  /** An earlier delivery of the same target, which is sent first. */
  readonly behind?: string | undefined;
}

/** A delivery with what is kept of it. */
export interface DeliveryDetails {
  readonly delivery: DeliveryRecord;
  /** Oldest first. */
  readonly attempts: readonly DeliveryAttempt[];
  /** The worst 10,000 changes, including those that no attempt contained; `undefined` after delivery. */
  readonly changes: readonly NotifiedChange[] | undefined;
}
