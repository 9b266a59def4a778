import { CodedError } from '../../model/errors.ts';

/**
 * The sides of a comparison cannot be read.
 * - `no-such-side`: a side of a comparison does not exist.
 * - `ambiguous`: a side can be read in two ways.
 * - `nothing-to-compare`: a side has no lockfile.
 * - `baseline-invalid`: a file is not the report of a scan.
 */
export class ReviewError extends CodedError<
  'no-such-side' | 'ambiguous' | 'nothing-to-compare' | 'baseline-invalid'
> {}
