import { EnvelopeError, type EnvelopeErrorCode } from '../jobs/envelope.ts';
import { JobError } from '../jobs/errors.ts';
import type { AttemptEnding, JobLimits } from '../jobs/job.ts';
import { CodedError, messageOf } from '../model/errors.ts';
import { MAX_PAUSE_MS, MAX_RETRY_AFTER_MS } from '../model/retry-after.ts';
import { IncompleteError } from '../scan/attempt.ts';
import { WorkerError } from './errors.ts';

/** The reaction of the queue to an error. */
export type Failure =
  /** Another attempt after `delayMs`. */
  | { readonly kind: 'retry'; readonly delayMs: number }
  /** The service asked all clients to wait: the whole queue pauses, and no attempt is counted. */
  | { readonly kind: 'pause'; readonly delayMs: number }
  /** The job cannot run yet; no attempt is counted. `code` is that of the error. */
  | { readonly kind: 'postpone'; readonly delayMs: number; readonly code: string }
  /** The job gets no other attempt. */
  | { readonly kind: 'fail'; readonly message: string };

const NEWER_RELEASE_DELAY_MS = 60_000;
/** A job whose outcome was lost runs again after about this time. */
const LOST_DELAY_MS = 1_000;
/** A job that lets others pass tries again after about this time. */
const OTHERS_FIRST_DELAY_MS = 2_000;
/** First and longest wait of a job whose route accepts nothing at the moment. */
const LATER_DELAY_MS = 500;
const MAX_LATER_DELAY_MS = 30_000;
/** A job does not wait longer than this for a rate limit or a newer release; then it fails, for an operator. */
const MAX_AGE_MS = 24 * 3_600_000;

/** A job is promoted when it gets the turn or its route resumes. It also checks at these intervals, in case it was not. */
export interface WaitingTimes {
  readonly turnMs: number;
  readonly heldMs: number;
}

export const DEFAULT_WAITING: WaitingTimes = { turnMs: 900_000, heldMs: 300_000 };

export interface FailedAttempt {
  readonly error: unknown;
  /** Failed attempts, including this one. */
  readonly attempts: number;
  /** How often it was postponed, which counts no attempt. */
  readonly postponements: number;
  readonly ageMs: number;
  readonly limits: JobLimits;
  readonly waiting: WaitingTimes;
  /** In [0, 1). */
  readonly random: number;
}

/** The only place that maps error classes to retries, pauses and permanent failures. */
export function failureOf(attempt: FailedAttempt): Failure {
  const { error, ageMs, limits, attempts } = attempt;
  if (!(error instanceof CodedError)) return retryOrFail(attempt, attempts < limits.attempts);
  if (error instanceof EnvelopeError && error.code === 'newer-version' && ageMs < MAX_AGE_MS) {
    return { kind: 'postpone', delayMs: NEWER_RELEASE_DELAY_MS, code: error.code };
  }
  const postponed = postponement(attempt, error);
  if (postponed !== undefined) return { kind: 'postpone', delayMs: postponed, code: error.code };
  // The service limits all clients, so the whole queue pauses. (A receiver limits only its own route.)
  if (error instanceof IncompleteError && error.retryAfterMs !== undefined && ageMs < MAX_AGE_MS) {
    return { kind: 'pause', delayMs: Math.min(error.retryAfterMs, MAX_PAUSE_MS) };
  }
  return retryOrFail(attempt, error.retryable && attempts < limits.attempts);
}

/** How an attempt ended after which the job runs again. */
export function endingOf(failure: Exclude<Failure, { kind: 'fail' }>, reason: string): AttemptEnding {
  const { kind, delayMs } = failure;
  if (kind === 'retry') return { kind, reason, delayMs };
  return { kind: 'postponed', code: kind === 'postpone' ? failure.code : 'paused', reason, delayMs };
}

/** The delay for a job that waits for something else, in milliseconds. */
function postponement(
  { postponements, random, waiting }: FailedAttempt,
  error: CodedError,
): number | undefined {
  switch (error instanceof JobError || error instanceof WorkerError ? error.code : undefined) {
    case 'not-its-turn':
      return jittered(waiting.turnMs, random);
    case 'others-first':
      return jittered(OTHERS_FIRST_DELAY_MS, random);
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
    const requested = Math.min(
      MAX_RETRY_AFTER_MS,
      error instanceof CodedError ? (error.retryAfterMs ?? 0) : 0,
    );
    const computed = backoff(limits, attempts, random);
    // Jobs refused at the same time would all return at the same time: a requested wait gets jitter too.
    return {
      kind: 'retry',
      delayMs: computed >= requested ? computed : Math.round(requested * (1 + random / 10)),
    };
  }
  const message = messageOf(error);
  return { kind: 'fail', message: error instanceof CodedError ? message + inBrackets(error.code) : message };
}

const REFUSALS: readonly EnvelopeErrorCode[] = ['invalid-payload', 'newer-version'];

/** Whether this is the message of a job that failed because its payload was refused. */
export function isRefusal(message: string): boolean {
  return REFUSALS.some((code) => message.endsWith(inBrackets(code)));
}

function inBrackets(code: string): string {
  return ` [${code}]`;
}

/** Exponential, with jitter over its upper half so that retries spread out. */
function backoff({ backoffMs, maxBackoffMs }: JobLimits, attempts: number, random: number): number {
  return jittered(Math.min(maxBackoffMs, backoffMs * 2 ** Math.min(attempts - 1, 30)), random);
}

function jittered(ceiling: number, random: number): number {
  return Math.round(ceiling / 2 + (random * ceiling) / 2);
}
