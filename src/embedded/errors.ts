import { CodedError } from '../model/errors.ts';

export type EmbeddedErrorCode =
  | 'valkey-not-started'
  | 'service-not-started'
  | 'data-set-missing'
  | 'data-set-malformed'
  | 'document-unusable';

/** A local stand-in that could not be brought up. */
export class EmbeddedError extends CodedError<EmbeddedErrorCode> {}
