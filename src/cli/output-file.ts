import { closeSync, lstatSync, openSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { messageOf } from '../model/errors.ts';
import { CommandError } from './errors.ts';
import type { Terminal } from './terminal.ts';

/** Columns of text that is written to a file. */
const FILE_WIDTH = 100;

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

/**
 * Runs `work` on a terminal whose results go where the options say. A file is complete or not there: results are
 * written beside it and moved into place at the end; a device, FIFO or link is written to as it is. Throws `CommandError`
 * (`file-unwritable`).
 */
export async function withDestination<Result>(
  terminal: Terminal,
  { output, quiet = false }: DestinationOptions,
  work: (terminal: Terminal) => Promise<Result>,
): Promise<Result> {
  const told = quiet ? { ...terminal, interactive: false } : terminal;
  if (output === undefined) return await work(told);
  const special = isSpecial(output);
  const path = special ? output : `${output}.${process.pid}.tmp`;
  const file = attempt(output, () => openSync(path, special ? 'w' : 'wx'));
  const out = (text: string): void => {
    attempt(output, () => writeFileSync(file, text));
  };
  try {
    const result = await work({ ...told, out, colour: false, width: FILE_WIDTH });
    attempt(output, () => closeSync(file));
    if (!special) attempt(output, () => renameSync(path, output));
    return result;
  } catch (error) {
    if (!special) rmSync(path, { force: true });
    throw error;
  }
}

/** A link is written through: replacing `/dev/stdout` or a link to a file would be a surprise. */
function isSpecial(path: string): boolean {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) {
    throw new CommandError('file-unwritable', `--output ${path}: is a folder; name a file`);
  }
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats !== undefined && !stats.isFile();
}

function attempt<Result>(path: string, step: () => Result): Result {
  try {
    return step();
  } catch (error) {
    const reason =
      (error as { code?: unknown }).code === 'ENOENT' ? 'its folder does not exist' : messageOf(error);
    throw new CommandError('file-unwritable', `--output ${path}: ${reason}`, { cause: error });
  }
}
