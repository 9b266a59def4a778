import { CodedError } from '../model/errors.ts';

/**
 * - `state-moved`: other scans of the target were judged while this one ran; compared anew, it succeeds.
 * - `timed-out`: an attempt took longer than its job allows.
 * - `lock-lost`: Redis gave the job to another worker while this one worked on it.
 * - `not-its-turn`: another job of its lane goes first.
 * - `stalled`: workers died under it again and again.
 * - `turn-over`: it has no place in its lane: it was given up before, or Redis has lost what it follows from.
 * - `outcome-lost`: Redis has lost its outcome since it was saved.
 */
export type WorkerErrorCode =
  | 'state-moved'
  | 'timed-out'
  | 'lock-lost'
  | 'not-its-turn'
  | 'stalled'
  | 'turn-over'
  | 'outcome-lost';

/** What ends an attempt from outside of the job. All but `stalled` and `turn-over` may go better the next time. */
export class WorkerError extends CodedError<WorkerErrorCode> {
  constructor(code: WorkerErrorCode, message: string) {
    super(code, message, { retryable: code !== 'turn-over' && code !== 'stalled' });
  }
}
