import { UnrecoverableError } from 'bullmq';
import { EnvelopeError } from '../jobs/envelope.ts';
import { JobError } from '../jobs/errors.ts';
import type { JobLimits } from '../jobs/job.ts';
import { CodedError, messageOf } from '../model/errors.ts';

/** What the queue does about an error. */
export type Failure =
  /** Another attempt after `delayMs`. */
  | { readonly kind: 'retry'; readonly delayMs: number }
  /** The service asked everybody to wait: the whole queue pauses, and no attempt is used up. */
  | { readonly kind: 'pause'; readonly delayMs: number }
  /** Not ours to run yet: left for a newer release, without using up an attempt. */
  | { readonly kind: 'postpone'; readonly delayMs: number }
  | { readonly kind: 'fail'; readonly error: UnrecoverableError };

const NEWER_RELEASE_DELAY_MS = 60_000;
const MAX_PAUSE_MS = 300_000;
/** Waiting for a rate limit or a newer release ends here: a job that old is an operator's case. */
const MAX_AGE_MS = 24 * 3_600_000;

export interface FailedAttempt {
  readonly error: unknown;
  /** Attempts that failed, this one included. */
  readonly attempts: number;
  readonly ageMs: number;
  readonly limits: JobLimits;
  /** In [0, 1). */
  readonly random: number;
}

/** The only place that turns error classes into retries, pauses and final failures. */
export function failureOf(attempt: FailedAttempt): Failure {
  const { error, ageMs, limits, attempts } = attempt;
  if (!(error instanceof CodedError)) return retryOrFail(attempt, attempts < limits.attempts);
  if (error instanceof EnvelopeError && error.code === 'newer-version' && ageMs < MAX_AGE_MS) {
    return { kind: 'postpone', delayMs: NEWER_RELEASE_DELAY_MS };
  }
  // A job that fetches facts: the service limits everybody, so everybody waits. (A receiver limits its own route only.)
  if (error instanceof JobError && error.retryAfterMs !== undefined && ageMs < MAX_AGE_MS) {
    return { kind: 'pause', delayMs: Math.min(error.retryAfterMs, MAX_PAUSE_MS) };
  }
  return retryOrFail(attempt, error.retryable && attempts < limits.attempts);
}

function retryOrFail({ error, attempts, limits, random }: FailedAttempt, again: boolean): Failure {
  if (again) {
    const asked = error instanceof CodedError ? (error.retryAfterMs ?? 0) : 0;
    return { kind: 'retry', delayMs: Math.max(asked, backoff(limits, attempts, random)) };
  }
  const code = error instanceof CodedError ? ` [${error.code}]` : '';
  return { kind: 'fail', error: new UnrecoverableError(`${messageOf(error)}${code}`) };
}

/** Exponential with full jitter over its upper half: grows, and does not bring everybody back at once. */
function backoff({ backoffMs, maxBackoffMs }: JobLimits, attempts: number, random: number): number {
  const ceiling = Math.min(maxBackoffMs, backoffMs * 2 ** Math.min(attempts - 1, 30));
  return Math.round(ceiling / 2 + (random * ceiling) / 2);
}
