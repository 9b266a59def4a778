import { CodedError } from '../model/errors.ts';

/** `blob-missing`: no content of that hash was given to this process. */
export type MemoryErrorCode = 'blob-missing';

export class MemoryError extends CodedError<MemoryErrorCode> {}
