import { EnvelopeError } from '../jobs/envelope.ts';
import { JobError } from '../jobs/errors.ts';
import type { JobLimits } from '../jobs/job.ts';
import { CodedError, messageOf } from '../model/errors.ts';
import { WorkerError } from './errors.ts';

/** What the queue does about an error. */
export type Failure =
  /** Another attempt after `delayMs`. */
  | { readonly kind: 'retry'; readonly delayMs: number }
  /** The service asked everybody to wait: the whole queue pauses, and no attempt is used up. */
  | { readonly kind: 'pause'; readonly delayMs: number }
  /** Not to be run yet: left for later, without using up an attempt. `code` is that of the error. */
  | { readonly kind: 'postpone'; readonly delayMs: number; readonly code: string }
  /** No other attempt. */
  | { readonly kind: 'fail'; readonly message: string };

const NEWER_RELEASE_DELAY_MS = 60_000;
const MAX_PAUSE_MS = 300_000;
/** The longest wait for another attempt that a receiver can ask for. */
const MAX_ASKED_MS = 3_600_000;
/** An outcome that was lost is made again after about this time. */
const LOST_DELAY_MS = 1_000;
/** First wait of a job whose route takes nothing at the moment, and the longest. */
const LATER_DELAY_MS = 500;
const MAX_LATER_DELAY_MS = 30_000;
/** Waiting for a rate limit or a newer release ends here: a job that old is an operator's case. */
const MAX_AGE_MS = 24 * 3_600_000;

/** A job is woken when its turn comes or its route is resumed; it looks for itself as often as this, in case it was not. */
export interface WaitingTimes {
  readonly turnMs: number;
  readonly heldMs: number;
}

export const DEFAULT_WAITING: WaitingTimes = { turnMs: 900_000, heldMs: 300_000 };

export interface FailedAttempt {
  readonly error: unknown;
  /** Attempts that failed, this one included. */
  readonly attempts: number;
  /** Times that it was put off without using up an attempt. */
  readonly postponements: number;
  readonly ageMs: number;
  readonly limits: JobLimits;
  readonly waiting: WaitingTimes;
  /** In [0, 1). */
  readonly random: number;
}

/** The only place that turns error classes into retries, pauses and final failures. */
export function failureOf(attempt: FailedAttempt): Failure {
  const { error, ageMs, limits, attempts } = attempt;
  if (!(error instanceof CodedError)) return retryOrFail(attempt, attempts < limits.attempts);
  if (error instanceof EnvelopeError && error.code === 'newer-version' && ageMs < MAX_AGE_MS) {
    return { kind: 'postpone', delayMs: NEWER_RELEASE_DELAY_MS, code: error.code };
  }
  const postponed = postponement(attempt, error);
  if (postponed !== undefined) return { kind: 'postpone', delayMs: postponed, code: error.code };
  // A job that fetches facts: the service limits everybody, so everybody waits. (A receiver limits its own route only.)
  if (error instanceof JobError && error.retryAfterMs !== undefined && ageMs < MAX_AGE_MS) {
    return { kind: 'pause', delayMs: Math.min(error.retryAfterMs, MAX_PAUSE_MS) };
  }
  return retryOrFail(attempt, error.retryable && attempts < limits.attempts);
}

/** How long to put a job off that waits for something outside of itself. */
function postponement(
  { postponements, random, waiting }: FailedAttempt,
  error: CodedError,
): number | undefined {
  switch (error instanceof JobError || error instanceof WorkerError ? error.code : undefined) {
    case 'not-its-turn':
      return jittered(waiting.turnMs, random);
    case 'outcome-lost':
      return jittered(LOST_DELAY_MS, random);
    case 'route-held':
      return jittered(waiting.heldMs, random);
    case 'route-later':
      return jittered(
        Math.min(MAX_LATER_DELAY_MS, LATER_DELAY_MS * 2 ** Math.min(postponements, 30)),
        random,
      );
    default:
      return undefined;
  }
}

function retryOrFail({ error, attempts, limits, random }: FailedAttempt, again: boolean): Failure {
  if (again) {
    const asked = Math.min(MAX_ASKED_MS, error instanceof CodedError ? (error.retryAfterMs ?? 0) : 0);
    const own = backoff(limits, attempts, random);
    // Everybody who was sent away at once would come back at once: a wait that was asked for gets some jitter on top.
    return { kind: 'retry', delayMs: own >= asked ? own : Math.round(asked * (1 + random / 10)) };
  }
  const code = error instanceof CodedError ? ` [${error.code}]` : '';
  return { kind: 'fail', message: `${messageOf(error)}${code}` };
}

/** Exponential with full jitter over its upper half: grows, and does not bring everybody back at once. */
function backoff({ backoffMs, maxBackoffMs }: JobLimits, attempts: number, random: number): number {
  return jittered(Math.min(maxBackoffMs, backoffMs * 2 ** Math.min(attempts - 1, 30)), random);
}

function jittered(ceiling: number, random: number): number {
  return Math.round(ceiling / 2 + (random * ceiling) / 2);
}
