import { CodedError } from '../../model/errors.ts';

/**
 * - `document-not-found`: the name is not that of a file, a bundled document or an API of the directory.
 * - `invalid-input`: parameters, a body or a line of a batch is not valid.
 */
export class ApiError extends CodedError<'document-not-found' | 'invalid-input'> {}
