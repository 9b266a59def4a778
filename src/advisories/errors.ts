import { CodedError } from '../model/errors.ts';

/**
 * - `no-records`: the source holds no advisory that can be read.
 * - `damaged`: the source cannot be decompressed or is cut off.
 * - `too-large`: the source, or a record of it, exceeds the limit.
 * - `unavailable`: the URL did not answer with a source.
 * - `not-verified`: a bundle is not signed by the key, or the file has no such key.
 * - `older`: a newer bundle was imported, or the one before it was not.
 * - `busy`: another process imports into the same folder.
 * - `database-damaged`: the stored advisories cannot be read; import them again.
 * - `unwritable`: the stored advisories cannot be written, as on a full disk.
 * - `not-configured`: `data.osv.url` is not set.
 * - `database-missing`: `insights.sources` names `osv`, and nothing was imported.
 */
export type AdvisoryErrorCode =
  | 'no-records'
  | 'damaged'
  | 'too-large'
  | 'unavailable'
  | 'not-verified'
  | 'older'
  | 'busy'
  | 'database-damaged'
  | 'unwritable'
  | 'not-configured'
  | 'database-missing';

/** Why advisories were not imported or cannot be used. */
export class AdvisoryError extends CodedError<AdvisoryErrorCode> {}
