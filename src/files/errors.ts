import { CodedError, messageOf } from '../model/errors.ts';

/**
 * Why a file was not read. The message begins with its path.
 * - `not-found`: there is no such file.
 * - `unreadable`: the file exists and cannot be read: no permission, an I/O error, a name that is not UTF-8.
 * - `not-a-file`: a directory, named pipe, socket or device.
 * - `outside`: a link leads out of the allowed folder.
 * - `too-large`: the file exceeds the limit.
 */
export class FileError extends CodedError<
  'not-found' | 'unreadable' | 'not-a-file' | 'outside' | 'too-large'
> {}

/** Returns the coded error of a failed access to a path. Throws errors that are not about the path. */
export function codedError(path: string, error: unknown): CodedError {
  const fault = toFileError(path, error);
  if (fault instanceof CodedError) return fault;
  throw fault;
}

/** Converts an error of the operating system to a `FileError`; returns any other error unchanged. */
export function toFileError(path: string, error: unknown): unknown {
  if (error instanceof CodedError || typeof (error as NodeJS.ErrnoException).syscall !== 'string')
    return error;
  // Node decodes names as UTF-8. An invalid name contains U+FFFD, and its path does not exist.
  if (path.includes('\ufffd')) {
    return new FileError('unreadable', `${path}: its name is not UTF-8; rename it`, { cause: error });
  }
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return new FileError('not-found', `${path}: no such file or directory`, { cause: error });
  }
  return new FileError('unreadable', `${path}: cannot be read: ${reasonOf(error)}`, { cause: error });
}

/** `permission denied` of `EACCES: permission denied, open '/a/b'`. */
export function reasonOf(error: unknown): string {
  return messageOf(error)
    .replace(/, \w+(?: '[^']*'.*)?$/s, '')
    .replace(/^[A-Z0-9_]+: /, '');
}
