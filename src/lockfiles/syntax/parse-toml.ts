import { parse, TomlError } from 'smol-toml';
import { messageOf } from '../../model/errors.ts';
import { LockfileError } from '../errors.ts';
import { conflictLine } from './merge-conflict.ts';

/** A table of the file, unchecked. */
export type Table = Readonly<Record<string, unknown>>;

/** Inline tables and lists within each other; no tool writes more than a few. */
const MAX_DEPTH = 100;

/** Parses the text as TOML. Throws `LockfileError` (`syntax`) with the line. */
export function parseToml(text: string, path: string): Table {
  try {
    return parse(text, { integersAsBigInt: 'asNeeded', maxDepth: MAX_DEPTH });
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const conflict = conflictLine(text);
    if (conflict !== undefined) {
      throw new LockfileError('syntax', `${path}:${conflict}: unresolved merge conflict`, { cause: error });
    }
    const reason = messageOf(error).split('\n')[0]?.replace('Invalid TOML document: ', '') ?? '';
    throw new LockfileError('syntax', `${path}:${error.line}:${error.column}: not valid TOML (${reason})`, {
      cause: error,
    });
  }
}

export function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** The tables of a list; anything else in it is left out. */
export function tablesIn(value: unknown): readonly Table[] {
  return Array.isArray(value) ? value.filter(isTable) : [];
}

/** The texts of a list; anything else in it is left out. */
export function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

export function textIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The members of a table, in their order; none of anything else. */
export function membersOf(value: unknown): readonly (readonly [string, unknown])[] {
  return isTable(value) ? Object.entries(value) : [];
}
