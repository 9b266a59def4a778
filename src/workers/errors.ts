import { CodedError } from '../model/errors.ts';

/**
 * - `state-moved`: other scans of the target were judged while this one ran; another attempt succeeds.
 * - `timed-out`: an attempt took longer than its job allows.
 * - `lock-lost`: Redis gave the job to another worker while this one ran it.
 * - `not-its-turn`: another job of its lane comes first.
 * - `stalled`: workers died repeatedly while they ran it.
 * - `turn-over`: it has no place in its lane: it failed permanently before, or Redis lost the outcome that it follows from.
 * - `outcome-lost`: Redis lost its outcome after it was saved.
 */
export type WorkerErrorCode =
  | 'state-moved'
  | 'timed-out'
  | 'lock-lost'
  | 'not-its-turn'
  | 'stalled'
  | 'turn-over'
  | 'outcome-lost';

/** Ends an attempt from outside the job. All but `stalled` and `turn-over` are retryable. */
export class WorkerError extends CodedError<WorkerErrorCode> {
  constructor(code: WorkerErrorCode, message: string) {
    super(code, message, { retryable: code !== 'turn-over' && code !== 'stalled' });
  }
}
