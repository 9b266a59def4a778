import { CodedError } from '../model/errors.ts';

/**
 * Why a file as a whole could not be read. Single entries that cannot be read are `problems` of the result.
 *
 * `too-slow`, `too-much-memory`: it took more than is given to a file of its size. `reader-failed`: a fault of ours.
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

/** The message names the file, the line where one is to blame, and what to do. */
export class LockfileError extends CodedError<LockfileErrorCode> {}
