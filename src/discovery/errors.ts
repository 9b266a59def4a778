import { CodedError } from '../model/errors.ts';

/**
 * - `invalid-document`: a description document that cannot be used.
 * - `unknown-method`, `invalid-parameter`, `invalid-body`, `invalid-media`, `invalid-template`: a call that does not fit
 *   its document; nothing was sent.
 * - `unavailable`: the request for a document, a directory or an upload session was answered with an error status.
 * - `invalid-directory`: an answer that is not a list of APIs.
 * - `unknown-api`: the directory has no such API or version.
 */
type DiscoveryErrorCode =
  | 'invalid-document'
  | 'unknown-method'
  | 'invalid-parameter'
  | 'invalid-body'
  | 'invalid-media'
  | 'invalid-template'
  | 'unavailable'
  | 'invalid-directory'
  | 'unknown-api';

/** A description document, a directory or a call that cannot be used. */
export class DiscoveryError extends CodedError<DiscoveryErrorCode> {}
