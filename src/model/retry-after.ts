/*
 * What an error status means to every client and to the workers: which answers are temporary, how long to wait after
 * them, and how long at most. 429 is "too many requests" (RFC 6585), `Retry-After` RFC 9110, section 10.2.3.
 */

/** The part of an HTTP answer that decides about another attempt. */
export interface AnswerStatus {
  readonly status: number;
  /** From `Retry-After`, when the answer has one. */
  readonly retryAfterMs?: number | undefined;
}

/** The wait after a 429 without `Retry-After`. */
const DEFAULT_RETRY_AFTER_MS = 5_000;

/** The longest pause of all requests to a service that limits their rate. */
export const MAX_PAUSE_MS = 300_000;

/** The longest wait before another attempt that an answer can ask for. */
export const MAX_RETRY_AFTER_MS = 3_600_000;

/** Answers after which the HTTP client repeats a request itself, briefly. */
const BRIEFLY_RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504]);

export function isRateLimited({ status }: AnswerStatus): boolean {
  return status === 429;
}

export function isBrieflyRetryable({ status }: AnswerStatus): boolean {
  return BRIEFLY_RETRYABLE.has(status);
}

/** Whether the same request may succeed later: request timeout, too early, too many requests, errors of the service. */
export function isTemporary({ status }: AnswerStatus): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500;
}

/** The options of a `CodedError` for an answer with an error status. */
export function retryOptions(answer: AnswerStatus): {
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
} {
  return { retryable: isTemporary(answer), retryAfterMs: answer.retryAfterMs };
}

/** The wait after a 429, in milliseconds. */
export function rateLimitWait({ retryAfterMs = DEFAULT_RETRY_AFTER_MS }: AnswerStatus): number {
  return retryAfterMs;
}

/** How long to pause all requests to the service, in milliseconds; `undefined` when it did not ask for that. */
export function requestedPause(answer: AnswerStatus): number | undefined {
  const { retryAfterMs } = answer;
  return isRateLimited(answer) && retryAfterMs !== undefined
    ? Math.min(retryAfterMs, MAX_PAUSE_MS)
    : undefined;
}

/** Milliseconds of a `Retry-After` header, seconds or a date; `undefined` when it is neither. */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  const text = value?.trim() ?? '';
  if (/^\d+(?:\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
  // Only dates: `Date.parse` also reads other numbers, as years.
  const date = /^[A-Za-z]{3}/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
