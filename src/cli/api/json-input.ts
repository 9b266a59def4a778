import { createInterface } from 'node:readline';
import { ApiError } from '../../commands/api/errors.ts';
import { MAX_INPUT_BYTES, readFile } from '../../files/read-file.ts';
import { messageOf } from '../../model/errors.ts';
import type { Terminal } from '../program/terminal.ts';

/** The lines of standard input. */
export function inputLines({ input = process.stdin }: Terminal): AsyncIterable<string> {
  return createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
}

/**
 * The JSON value of an option: inline, from a file (`@file`) or from standard input (`-`). Throws `ApiError`
 * (`invalid-input`) with the name of the option.
 */
export async function readJsonOption(terminal: Terminal, option: string, given: string): Promise<unknown> {
  const text = await readText(terminal, given).catch((cause: unknown) => {
    throw new ApiError('invalid-input', `${option} cannot be read: ${messageOf(cause)}`, { cause });
  });
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ApiError('invalid-input', `${option} is not JSON: ${messageOf(cause)}`, { cause });
  }
}

async function readText(terminal: Terminal, given: string): Promise<string> {
  if (given.startsWith('@')) {
    return (await readFile(given.slice(1), { maxBytes: MAX_INPUT_BYTES })).toString('utf8');
  }
  if (given !== '-') return given;
  let text = '';
  for await (const line of inputLines(terminal)) text += `${line}\n`;
  return text;
}
