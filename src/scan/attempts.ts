import { setTimeout as sleep } from 'node:timers/promises';
import { CodedError, messageOf } from '../model/errors.ts';
import { raceAbort } from '../model/race-abort.ts';
import { MAX_PAUSE_MS } from '../model/retry-after.ts';
import { type Attempt, IncompleteError, type Progress } from './attempt.ts';

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
}

/** Runs a step of a scan until it succeeds, or has failed for good. */
export type Attempts = <Result>(step: (attempt: Attempt) => Promise<Result>) => Promise<Result>;

/**
 * Attempts at the steps of a scan without a queue. A step gets two attempts in quick succession. While the service asks for a pause, no
 * attempt is counted. Rejects with the last error of a step, and with the reason of the signal.
 */
export function createAttempts(options: AttemptsOptions): Attempts {
  const { signal, onProgress, onRetry, backoffMs = DEFAULT_BACKOFF_MS } = options;
  return async (step) => {
    let failed = 0;
    for (;;) {
      signal.throwIfAborted();
      try {
        const attempt = { signal, lastAttempt: failed + 1 === MAX_ATTEMPTS, progress: onProgress };
        return await raceAbort(step(attempt), signal);
      } catch (error) {
        signal.throwIfAborted();
        const pauseMs = error instanceof IncompleteError ? error.retryAfterMs : undefined;
        if (pauseMs === undefined) failed += 1;
        if (failed === MAX_ATTEMPTS || (error instanceof CodedError && !error.retryable)) throw error;
        const delayMs = Math.min(pauseMs ?? (backoffMs * (1 + Math.random())) / 2, MAX_PAUSE_MS);
        onRetry(messageOf(error), delayMs);
        await sleep(delayMs, undefined, { signal }).catch(() => signal.throwIfAborted());
      }
    }
  };
}
