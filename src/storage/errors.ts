import { CodedError } from '../model/errors.ts';

/**
 * A storage does not do what it has to. Messages name no credentials.
 * - `not-written`: the folder does not accept an object, or an object cannot be removed from it.
 * - `refused`: the bucket refuses a request, or answers in another way than the protocol says.
 */
export class StorageError extends CodedError<'not-written' | 'refused'> {}
