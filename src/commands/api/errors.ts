import { CodedError } from '../../model/errors.ts';

/**
 * - `document-not-found`: the name is not that of a file, a bundled document or an API of the directory.
 * - `document-unavailable`: the document or the directory could not be fetched.
 * - `invalid-input`: parameters, a body or a line of a batch is not valid.
 * - `call-failed`: the service answered with an error, which was printed.
 */
export type ApiErrorCode = 'document-not-found' | 'document-unavailable' | 'invalid-input' | 'call-failed';

export class ApiError extends CodedError<ApiErrorCode> {}
