import { FileError } from '../files/errors.ts';
import { CodedError, messageOf } from '../model/errors.ts';

/**
 * - `file-unreadable`, `file-unwritable`: a file named on the command line.
 * - `nothing-asked`: options that name nothing to do.
 * - `not-found`: nothing has the id that is named.
 */
export type CommandErrorCode = 'file-unreadable' | 'file-unwritable' | 'nothing-asked' | 'not-found';

/** A command line that cannot be followed. */
export class CommandError extends CodedError<CommandErrorCode> {}

export function unreadable(file: string, cause: unknown): CommandError {
  return new CommandError(
    'file-unreadable',
    cause instanceof FileError ? cause.message : `${file}: ${messageOf(cause)}`,
    { cause },
  );
}
