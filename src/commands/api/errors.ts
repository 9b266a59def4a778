import { CodedError } from '../../model/errors.ts';

/**
 * - `document-not-found`: what was named is no file, no bundled document and in no directory.
 * - `document-unavailable`: the document or the directory could not be fetched.
 * - `invalid-input`: parameters, a body or a line of a batch that cannot be read.
 * - `call-failed`: the service answered with an error, which has been printed.
 */
export type ApiErrorCode = 'document-not-found' | 'document-unavailable' | 'invalid-input' | 'call-failed';

export class ApiError extends CodedError<ApiErrorCode> {}
