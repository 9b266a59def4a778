import { CodedError } from '../model/errors.ts';

/**
 * - `not-found`: there is no such file.
 * - `unreadable`: it is there and cannot be read: no permission, a fault of the disk, a name that is not UTF-8.
 * - `not-a-file`: a directory, named pipe, socket or device.
 * - `outside`: a link leads out of the folder that was named.
 * - `too-large`: it holds more than the limit.
 */
export type FileErrorCode = 'not-found' | 'unreadable' | 'not-a-file' | 'outside' | 'too-large';

/** Why a file was not read. The message begins with its path. */
export class FileError extends CodedError<FileErrorCode> {}
