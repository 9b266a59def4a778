import { CodedError } from '../model/errors.ts';

/**
 * - `state-moved`: other scans of the target were judged while this one ran; another attempt succeeds.
 * - `timed-out`: an attempt took longer than its job allows.
 * - `lock-lost`: Redis gave the job to another worker while this one ran it.
 * - `not-its-turn`: another job of its lane comes first.
 * - `stalled`: workers died repeatedly while they ran it.
 * - `turn-over`: it has no place in its lane: it failed permanently before, or Redis lost the outcome that it follows from.
 * - `not-wanted`: another worker ended it meanwhile, or Redis lost it, and the job that it follows from runs again.
 * - `outcome-lost`: Redis lost its outcome after it was saved.
 */
export type WorkerErrorCode =
  | 'state-moved'
  | 'timed-out'
  | 'lock-lost'
  | 'not-its-turn'
  | 'stalled'
  | 'turn-over'
  | 'not-wanted'
  | 'outcome-lost';

const PERMANENT: ReadonlySet<WorkerErrorCode> = new Set(['stalled', 'turn-over', 'not-wanted']);

/** Ends an attempt from outside the job. All but `stalled`, `turn-over` and `not-wanted` are retryable. */
export class WorkerError extends CodedError<WorkerErrorCode> {
  constructor(code: WorkerErrorCode, message: string) {
    super(code, message, { retryable: !PERMANENT.has(code) });
  }
}
