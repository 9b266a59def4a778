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
  | 'not-found'
  | 'too-slow'
  | 'too-much-memory'
  | 'reader-failed';

/** The message names the file, the line where known, and what to do. */
export class LockfileError extends CodedError<LockfileErrorCode> {}
