import { CodedError } from '../model/errors.ts';

/**
 * Why a whole file could not be read. Single unreadable entries are `problems` of the result instead.
 *
 * `too-slow`, `too-much-memory`: reading exceeded the limit for a file of this size. `reader-failed`: a bug in a reader.
 */
export type LockfileErrorCode =
  | 'empty'
  | 'too-large'
  | 'binary'
  | 'syntax'
  | 'wrong-format'
  | 'unsupported-version'
  | 'too-deep'
  | 'too-many-packages'
  | 'unknown-format'
  | 'too-slow'
  | 'too-much-memory'
  | 'reader-failed';

/** The message names the file, the line where known, and what to do. */
export class LockfileError extends CodedError<LockfileErrorCode> {}

/** The error for a file of a version that is not read. `what`: the version, as the format names it. */
export function unsupported(path: string, what: string, supported: string): LockfileError {
  return new LockfileError(
    'unsupported-version',
    `${path}: ${what} is not supported; supported: ${supported}`,
  );
}

/** A value of a file in a message. */
export function shownValue(value: unknown): string {
  return (JSON.stringify(value) ?? '').slice(0, 40);
}

const MARK = /^(?:<{7}|>{7}) .*$/m;

/** The fault of a text with a merge conflict marker, at the first one; `undefined` without a marker. */
export function conflictIn(text: string, path: string, cause: unknown): LockfileError | undefined {
  const at = MARK.exec(text)?.index;
  if (at === undefined) return undefined;
  const line = text.slice(0, at).split('\n').length;
  return new LockfileError('syntax', `${path}:${line}: unresolved merge conflict`, { cause });
}
