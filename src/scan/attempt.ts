import { CodedError, type CodedErrorOptions } from '../model/errors.ts';

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
export type IncompleteErrorCode = 'lookups-incomplete' | 'insights-partial';

export class IncompleteError extends CodedError<IncompleteErrorCode> {
  constructor(code: IncompleteErrorCode, message: string, options: Omit<CodedErrorOptions, 'retryable'>) {
    super(code, message, { ...options, retryable: true });
  }
}
