import { CodedError } from '../model/errors.ts';

/**
 * - `facts-missing`: the outcome of an earlier job is not in the store (the job failed permanently, or it expired).
 * - `route-held`: the route of a delivery is stopped until an operator resumes it.
 * - `route-later`: the route of a delivery accepts nothing at the moment; nothing was sent.
 * - `others-first`: other jobs come first: a refresh lets scans pass, alerts by issue wait for the targets that are judged,
 *   a scan of large lockfiles waits for another one of its target.
 * - `source-invalid`: the source of a scan is not one that workers read.
 */
export type JobErrorCode = 'facts-missing' | 'route-held' | 'route-later' | 'others-first' | 'source-invalid';

export class JobError extends CodedError<JobErrorCode> {}
