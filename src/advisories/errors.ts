import { CodedError } from '../model/errors.ts';

/**
 * - `no-records`: the source holds no advisory that can be read.
 * - `damaged`: the source cannot be decompressed or is cut off.
 * - `too-large`: the source, or a record of it, exceeds the limit.
 * - `unavailable`: the URL did not answer with a source.
 * - `busy`: another process imports into the same folder.
 * - `database-damaged`: the stored advisories cannot be read; import them again.
 * - `database-missing`: `insights.sources` names `osv`, and nothing was imported.
 */
export type AdvisoryErrorCode =
  | 'no-records'
  | 'damaged'
  | 'too-large'
  | 'unavailable'
  | 'busy'
  | 'database-damaged'
  | 'database-missing';

/** Why advisories were not imported or cannot be used. */
export class AdvisoryError extends CodedError<AdvisoryErrorCode> {}
