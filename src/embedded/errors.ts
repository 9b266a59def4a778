import { CodedError } from '../model/errors.ts';

export type EmbeddedErrorCode =
  | 'valkey-not-started'
  | 'data-set-missing'
  | 'data-set-malformed'
  | 'document-unusable';

/** A local service that could not be started. */
export class EmbeddedError extends CodedError<EmbeddedErrorCode> {}
