import { codedError } from '../../files/errors.ts';
import { CodedError } from '../../model/errors.ts';

/**
 * - `file-unreadable`, `file-unwritable`: a file named on the command line.
 * - `nothing-asked`: the options select nothing.
 * - `options-unsuited`: options that do not go together, or one that is missing.
 * - `not-found`: there is nothing with the given id.
 * - `scan-failed`: a step of the scan failed, or its job was rejected or lost.
 * - `timed-out`: the scan was not done within the time limit.
 */
export type CommandErrorCode =
  | 'file-unreadable'
  | 'file-unwritable'
  | 'nothing-asked'
  | 'options-unsuited'
  | 'not-found'
  | 'scan-failed'
  | 'timed-out';

/** A command line that cannot be executed. */
export class CommandError extends CodedError<CommandErrorCode> {}

/** The error for a file that cannot be read. Throws `cause` when it is not about the file. */
export function unreadable(file: string, cause: unknown): CommandError {
  return new CommandError('file-unreadable', codedError(file, cause).message, { cause });
}
