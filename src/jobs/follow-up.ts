import type { Envelope } from '../model/queue/follow-up.ts';
import { sealEnvelope } from './envelope.ts';
import type { JobType } from './job-type.ts';

declare const checked: unique symbol;

/**
 * Work that follows from a job: the envelope for the queue of `job`. Children run first, and may fail without failing
 * the parent. Only `followUp` makes one, so the payload always fits the job.
 */
export interface FollowUp extends Envelope {
  readonly job: string;
  readonly children?: readonly FollowUp[];
  readonly [checked]: true;
}

/**
 * Makes a follow-up. Throws `EnvelopeError` (`invalid-payload`) when the payload does not fit: the job that returns it
 * then fails, and no wrong payload is saved.
 */
export function followUp<Payload>(
  type: JobType<Payload>,
  payload: NoInfer<Payload>,
  children: readonly FollowUp[] = [],
): FollowUp {
  const envelope = sealEnvelope(type, payload);
  return { job: type.name, ...envelope, ...(children.length === 0 ? {} : { children }) } as FollowUp;
}
