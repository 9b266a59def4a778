import type { Notification } from './notification.ts';

/**
 * - `waiting`: not sent yet, as a rule because an earlier one of the same target is not done.
 * - `retrying`: the receiver did not take it; another attempt follows.
 * - `held`: its route is stopped; it is sent once an operator resumes the route.
 * - `failed`: given up; kept until an operator has it sent again.
 */
export type DeliveryState = 'waiting' | 'retrying' | 'held' | 'delivered' | 'failed';

/** What identifies a delivery: one notification on its way to one receiver. */
export interface DeliveryIdentity {
  /** Id of the notification, the receiver's `webhook-id`. */
  readonly id: string;
  /** Key of the job that delivers it. */
  readonly key: string;
  readonly route: string;
  readonly target: string;
  readonly scan: string;
  /** When the scan was asked for, RFC 3339: the order of a target's deliveries. */
  readonly date: string;
  /** What it says, as a digest; unset: release 0.1.0 made it. */
  readonly content?: string;
}

/** A delivery as it is filed: complete in itself, so that what it was made of may expire. */
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

/** Where a delivery stands. Times are RFC 3339. */
export interface DeliveryRecord extends DeliveryIdentity {
  readonly state: DeliveryState;
  /** Why it is not delivered, in words. */
  readonly reason?: string;
  /** Number of changes that it tells of. */
  readonly changes: number;
  readonly filedAt: string;
  readonly updatedAt: string;
  readonly nextAttemptAt?: string;
  /** Attempts so far, those no longer kept included. */
  readonly attempts: number;
  readonly lastStatus?: number;
}

/** A route that takes nothing until an operator resumes it. */
export interface StoppedRoute {
  readonly route: string;
  /** RFC 3339. */
  readonly at: string;
  readonly reason: string;
}
