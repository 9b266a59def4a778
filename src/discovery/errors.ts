import { CodedError } from '../model/errors.ts';

export type DiscoveryErrorCode =
  | 'invalid-document'
  | 'unknown-method'
  | 'invalid-parameter'
  | 'invalid-body'
  | 'invalid-template';

/** A description document that cannot be used, or a request that does not fit it. Never retryable. */
export class DiscoveryError extends CodedError<DiscoveryErrorCode> {}
