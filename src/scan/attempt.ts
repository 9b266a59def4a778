import { setTimeout as sleep } from 'node:timers/promises';
import { CodedError, type CodedErrorOptions, messageOf } from '../model/errors.ts';
import { MAX_PAUSE_MS } from '../model/retry-after.ts';
import { raceAbort } from '../model/time-limit.ts';

export interface Progress {
  readonly step: string;
  readonly done: number;
  readonly total: number;
}

/** One attempt at a step of a scan. */
export interface Attempt {
  readonly signal: AbortSignal;
  /** True when nobody tries again: what could not be found out is then part of the result. */
  readonly lastAttempt: boolean;
  progress(progress: Progress): void;
}

/**
 * A service did not answer everything, and another attempt may get the rest. What was answered is in the cache.
 *
 * - `lookups-incomplete`: some packages could not be looked up.
 * - `insights-partial`: some other facts could not be fetched.
 */
type IncompleteErrorCode = 'lookups-incomplete' | 'insights-partial';

export class IncompleteError extends CodedError<IncompleteErrorCode> {
  /** How many questions of the step are without an answer. A number that falls is progress. */
  readonly open: number | undefined;

  constructor(
    code: IncompleteErrorCode,
    message: string,
    { open, ...options }: Omit<CodedErrorOptions, 'retryable'> & { readonly open?: number },
  ) {
    super(code, message, { ...options, retryable: true });
    this.open = open;
  }
}

/** Attempts at a step while a user waits for its result. */
const MAX_ATTEMPTS = 2;
export const DEFAULT_BACKOFF_MS = 500;

export interface AttemptsOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
  /** Called before a step is tried again after `delayMs`. */
  readonly onRetry: (reason: string, delayMs: number) => void;
  /** The longest wait between two attempts where the service asks for none, in milliseconds. */
  readonly backoffMs?: number | undefined;
  /**
   * The pauses that a service can ask for without answering anything more, in milliseconds. A further one counts as a failed attempt: a
   * user gets what is known by then. Default: 10 minutes.
   */
  readonly maxPausedMs?: number;
}

/** Runs a step of a scan until it succeeds, or has failed for good. */
export type Attempts = <Result>(step: (attempt: Attempt) => Promise<Result>) => Promise<Result>;

/**
 * Attempts at the steps of a scan without a queue. A step gets two attempts in quick succession. While the service asks for a pause, no
 * attempt is counted as long as each pause leaves less to do. Rejects with the last error of a step, and with the reason of the signal.
 */
export function createAttempts(options: AttemptsOptions): Attempts {
  const { signal, onProgress, onRetry, backoffMs = DEFAULT_BACKOFF_MS, maxPausedMs } = options;
  return async (step) => {
    const pauseAfter = createPauses(maxPausedMs);
    let failed = 0;
    for (;;) {
      signal.throwIfAborted();
      try {
        const attempt = { signal, lastAttempt: failed + 1 === MAX_ATTEMPTS, progress: onProgress };
        return await raceAbort(step(attempt), signal);
      } catch (error) {
        signal.throwIfAborted();
        const pauseMs = pauseAfter(error);
        if (pauseMs === 0) failed += 1;
        if (failed === MAX_ATTEMPTS || isFinal(error)) throw error;
        const delayMs = pauseMs || Math.min((backoffMs * (1 + Math.random())) / 2, MAX_PAUSE_MS);
        onRetry(messageOf(error), delayMs);
        await sleep(delayMs, undefined, { signal }).catch(() => signal.throwIfAborted());
      }
    }
  };
}

/** Returns the pause after each error of a step, in milliseconds; 0 for an error that counts as a failed attempt. */
function createPauses(maxPausedMs = 2 * MAX_PAUSE_MS): (error: unknown) => number {
  // Since the service last answered something.
  let pausedMs = 0;
  let leastOpen = Number.POSITIVE_INFINITY;
  return (error) => {
    if (!(error instanceof IncompleteError) || error.retryAfterMs === undefined) return 0;
    const { open = leastOpen } = error;
    if (open < leastOpen) pausedMs = 0;
    leastOpen = Math.min(open, leastOpen);
    if (pausedMs >= maxPausedMs) return 0;
    // A pause of 0 ms is one of 1 ms.
    const pauseMs = Math.min(Math.max(error.retryAfterMs, 1), MAX_PAUSE_MS);
    pausedMs += pauseMs;
    return pauseMs;
  };
}

function isFinal(error: unknown): boolean {
  return error instanceof CodedError && !error.retryable;
}

/**
 * Fetches one fact for each key, concurrently. Throws `IncompleteError` when a key may succeed later; fetched facts are
 * then in the cache. On the last attempt such keys are `failed`. Errors without a code count as retryable.
 * `absent`: keys for which the service has nothing.
 */
export async function fetchAll<Key, Fact>(
  keys: readonly Key[],
  fetch: (key: Key) => Promise<Fact | undefined>,
  describe: (key: Key) => string,
  attempt: Attempt,
) {
  const found: { key: Key; fact: Fact }[] = [];
  const absent: Key[] = [];
  const failed: { key: Key; reason: string; error: unknown }[] = [];
  await Promise.all(
    keys.map(async (key) => {
      try {
        const fact = await fetch(key);
        if (fact === undefined) absent.push(key);
        else found.push({ key, fact });
      } catch (error) {
        failed.push({ key, reason: reasonOf(error), error });
      }
    }),
  );
  attempt.signal.throwIfAborted();
  const retryable = failed.find(({ error }) => !(error instanceof CodedError) || error.retryable);
  if (retryable !== undefined && !attempt.lastAttempt) {
    const { key, reason, error: cause } = retryable;
    const retryAfterMs = cause instanceof CodedError ? cause.retryAfterMs : undefined;
    const message = `${describe(key)}: ${reason}`;
    throw new IncompleteError('insights-partial', message, { cause, retryAfterMs, open: failed.length });
  }
  return { found, absent, failed: failed.map(({ key, reason }) => ({ key, reason })) };
}

function reasonOf(error: unknown): string {
  return error instanceof CodedError ? error.message : `unexpected error: ${messageOf(error)}`;
}
