import { CodedError } from '../../model/errors.ts';

/**
 * - `no-such-side`: a side of a comparison does not exist.
 * - `ambiguous`: a side can be read in two ways.
 * - `nothing-to-compare`: a side has no lockfile.
 * - `baseline-invalid`: a file is not the report of a scan.
 */
export type ReviewErrorCode = 'no-such-side' | 'ambiguous' | 'nothing-to-compare' | 'baseline-invalid';

/** The sides of a comparison cannot be read. */
export class ReviewError extends CodedError<ReviewErrorCode> {}
