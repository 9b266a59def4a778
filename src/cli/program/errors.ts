import { codedError } from '../../files/errors.ts';
import { CodedError } from '../../model/errors.ts';

/**
 * A command line that cannot be executed.
 * - `file-unreadable`, `file-unwritable`: a file named on the command line.
 * - `nothing-asked`: the options select nothing.
 * - `options-unsuited`: options that do not go together, or one that is missing.
 * - `scan-failed`: a step of the scan failed, or its job was rejected or lost.
 * - `timed-out`: the scan was not done within the time limit.
 */
export class CommandError extends CodedError<
  'file-unreadable' | 'file-unwritable' | 'nothing-asked' | 'options-unsuited' | 'scan-failed' | 'timed-out'
> {}

/** The error for a file that cannot be read. Throws `cause` when it is not about the file. */
export function unreadable(file: string, cause: unknown): CommandError {
  return new CommandError('file-unreadable', codedError(file, cause).message, { cause });
}

/** Exit codes. A command that a signal interrupts exits with 128 and the number of the signal. */
export const EXIT = {
  /** Success; for scans, no findings. */
  clean: 0,
  /** The command worked and found something: findings, differences, deliveries that were not sent again. */
  findings: 1,
  /** The requested package, version or project does not exist. */
  notFound: 1,
  /** For scans with `--exit-codes extended`: findings, and no known upgrade clears any of them. */
  unfixable: 3,
  /** Another failure without findings: something could not be found out. */
  incomplete: 4,
  /** The command failed or its result is incomplete. The message on standard error says why. */
  error: 2,
} as const;
