import type { Envelope } from '../model/queue/follow-up.ts';
import { type JobType, versionOf } from './job-type.ts';

declare const made: unique symbol;

/**
 * A job to enqueue: the envelope for the queue of `job`. Children run first and may fail without failing the parent. Only
 * `followUp` creates one.
 */
export interface FollowUp extends Envelope {
  readonly job: string;
  readonly children?: readonly FollowUp[];
  readonly [made]: true;
}

/** Creates a follow-up. The runtime checks its payload against the schema before it stores it. */
export function followUp<Payload>(
  type: JobType<Payload>,
  payload: NoInfer<Payload>,
  children: readonly FollowUp[] = [],
): FollowUp {
  const envelope = { version: versionOf(type, payload), key: type.key(payload), payload };
  return { job: type.name, ...envelope, ...(children.length === 0 ? {} : { children }) } as FollowUp;
}
