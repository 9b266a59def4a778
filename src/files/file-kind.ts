import type { Stats } from 'node:fs';
import { CodedError, messageOf } from '../model/errors.ts';
import { FileError } from './errors.ts';

/** Throws `FileError` (`not-a-file`) for all but a regular file. */
export function checkKind(path: string, stats: Stats): void {
  if (stats.isFile()) return;
  throw new FileError('not-a-file', `${path}: is a ${kindOf(stats)}; only regular files are read`);
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return 'directory';
  if (stats.isFIFO()) return 'named pipe';
  return stats.isSocket() ? 'socket' : 'device';
}

export function isSameFile(left: Stats, right: Stats): boolean {
  return left.ino === right.ino && left.dev === right.dev;
}

/** The coded error behind what reading a path threw. Throws whatever is not about the path. */
export function faultOf(path: string, error: unknown): CodedError {
  const fault = systemFault(path, error);
  if (fault instanceof CodedError) return fault;
  throw fault;
}

/** What the operating system says of a path, as a `FileError`; any other error as it is. */
export function systemFault(path: string, error: unknown): unknown {
  if (error instanceof CodedError || typeof (error as NodeJS.ErrnoException).syscall !== 'string')
    return error;
  // Node decodes names as UTF-8: what is not becomes U+FFFD, and the path leads nowhere.
  if (path.includes('\ufffd')) {
    return new FileError('unreadable', `${path}: its name is not UTF-8; rename it`, { cause: error });
  }
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return new FileError('not-found', `${path}: no such file or directory`, { cause: error });
  }
  return new FileError('unreadable', `${path}: cannot be read: ${reasonOf(error)}`, { cause: error });
}

/** `EACCES: permission denied, open '/a/b'` without the call and the path, which stands before it already. */
export function reasonOf(error: unknown): string {
  return messageOf(error)
    .replace(/, \w+(?: '.*')?$/s, '')
    .replace(/^[A-Z0-9_]+: /, '');
}
