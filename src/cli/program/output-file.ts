import { closeSync, lstatSync, openSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { reasonOf } from '../../files/errors.ts';
import { CommandError } from './errors.ts';
import type { Terminal } from './terminal.ts';

export interface DestinationOptions {
  /** File for the results, in place of standard output. */
  readonly output?: string;
  /** Print no progress. */
  readonly quiet?: boolean;
}

/** Adds `--output` and `--quiet`. */
export function withDestinationOptions(command: Command): Command {
  return command
    .option('--output <file>', 'write the result to this file')
    .option('--quiet', 'print no progress');
}

/** Runs `work` with a terminal whose results go to `output`. Throws `CommandError` (`file-unwritable`). */
export async function withDestination<Result>(
  terminal: Terminal,
  { output, quiet = false }: DestinationOptions,
  work: (terminal: Terminal) => Promise<Result>,
): Promise<Result> {
  const quieted = quiet ? { ...terminal, interactive: false } : terminal;
  if (output === undefined) return await work(quieted);
  const { showsLinks: _, ...others } = quieted;
  return await withOutputFile(output, (out) =>
    work({ ...others, out, colour: false, width: Number.POSITIVE_INFINITY }),
  );
}

/**
 * Runs `work` with a function that writes to a file. A regular file is complete or unchanged: it is written under a temporary
 * name and renamed at the end. Devices, FIFOs and links are written directly. Throws `CommandError` (`file-unwritable`).
 */
export async function withOutputFile<Result>(
  output: string,
  work: (write: (data: string | Buffer) => void) => Promise<Result>,
): Promise<Result> {
  const direct = isWrittenDirectly(output);
  const path = direct ? output : `${output}.${process.pid}.tmp`;
  const file = attempt(output, () => openSync(path, direct ? 'w' : 'wx'));
  let open = true;
  const close = (): void => {
    open = false;
    closeSync(file);
  };
  try {
    const result = await work((data) => attempt(output, () => writeFileSync(file, data)));
    attempt(output, close);
    if (!direct) attempt(output, () => renameSync(path, output));
    return result;
  } catch (error) {
    if (open) close();
    if (!direct) rmSync(path, { force: true });
    throw error;
  }
}

/** Links are followed: renaming would replace `/dev/stdout` or a link to a file. */
function isWrittenDirectly(path: string): boolean {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) {
    throw new CommandError('file-unwritable', `${path}: is a folder; name a file`);
  }
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats !== undefined && !stats.isFile();
}

function attempt<Result>(path: string, step: () => Result): Result {
  try {
    return step();
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const reason = missing ? 'its folder does not exist' : `cannot be written: ${reasonOf(error)}`;
    throw new CommandError('file-unwritable', `${path}: ${reason}`, { cause: error });
  }
}
