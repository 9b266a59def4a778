import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { MAX_INPUT_BYTES, readFile } from '../../files/read-file.ts';
import { messageOf } from '../../model/errors.ts';
import { CommandError, unreadable } from './errors.ts';
import type { Terminal } from './terminal.ts';

type Input = Pick<Terminal, 'input'>;

/** The lines of standard input. */
export function inputLines({ input = process.stdin }: Input): AsyncIterable<string> {
  return createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
}

/** The text of a file that the command line names; `-`: of standard input. Throws `CommandError` (`file-unreadable`). */
export async function readInput(file: string, { input = process.stdin }: Input = {}): Promise<string> {
  if (file === '-') return await text(input);
  return await readFile(file, { maxBytes: MAX_INPUT_BYTES }).then(String, (cause: unknown) => {
    throw unreadable(file, cause);
  });
}

/**
 * The JSON value of an option: inline, from a file (`@file`) or from standard input (`-`). Throws `CommandError`
 * (`options-unsuited`) with the name of the option.
 */
export async function readJsonOption(option: string, given: string, terminal: Input = {}): Promise<unknown> {
  try {
    const isInline = given !== '-' && !given.startsWith('@');
    return JSON.parse(isInline ? given : await readInput(given.replace(/^@/, ''), terminal));
  } catch (cause) {
    const fault = cause instanceof SyntaxError ? 'is not JSON' : 'cannot be read';
    throw new CommandError('options-unsuited', `${option} ${fault}: ${messageOf(cause)}`, { cause });
  }
}
