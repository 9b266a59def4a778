import { CodedError } from '../model/errors.ts';

/** Why a file as a whole could not be read. Single entries that cannot be read are `problems` of the result. */
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
  | 'not-found';

/** The message names the file, the line where one is to blame, and what to do. */
export class LockfileError extends CodedError<LockfileErrorCode> {}
