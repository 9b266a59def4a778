import type { Envelope } from '../model/queue/follow-up.ts';
import { sealEnvelope } from './envelope.ts';
import type { JobType } from './job-type.ts';

declare const checked: unique symbol;

/**
 * A job to enqueue: the envelope for the queue of `job`. Children run first and may fail without failing the parent. Only
 * `followUp` creates one, so its payload is always valid.
 */
export interface FollowUp extends Envelope {
  readonly job: string;
  readonly children?: readonly FollowUp[];
  readonly [checked]: true;
}

/**
 * Creates a follow-up. Throws `EnvelopeError` (`invalid-payload`): then the job that returns it fails, and no invalid payload
 * is saved.
 */
export function followUp<Payload>(
  type: JobType<Payload>,
  payload: NoInfer<Payload>,
  children: readonly FollowUp[] = [],
): FollowUp {
  const envelope = sealEnvelope(type, payload);
  return { job: type.name, ...envelope, ...(children.length === 0 ? {} : { children }) } as FollowUp;
}
