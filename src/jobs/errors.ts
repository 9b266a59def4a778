import { CodedError } from '../model/errors.ts';

/**
 * - `lookups-incomplete`: some packages could not be looked up; worth another attempt.
 * - `facts-missing`: an earlier step's outcome is not in the store (it failed for good, or expired).
 * - `insights-partial`: some facts of a child could not be fetched; worth another attempt.
 * - `route-held`: the route of a delivery is stopped until an operator resumes it.
 * - `route-later`: the route of a delivery takes nothing at this moment; nothing was sent.
 */
export type JobErrorCode =
  | 'lookups-incomplete'
  | 'facts-missing'
  | 'insights-partial'
  | 'route-held'
  | 'route-later';

export class JobError extends CodedError<JobErrorCode> {}
