import { parse, TomlError } from 'smol-toml';
import { messageOf } from '../../model/errors.ts';
import { conflictIn, LockfileError } from '../errors.ts';

/** A table of the file. Its members are unchecked. */
export type Table = Readonly<Record<string, unknown>>;

/** Nested inline tables and lists; tools write a few levels. */
const MAX_DEPTH = 100;

/** Parses the text as TOML. Throws `LockfileError` (`syntax`) with the line. */
export function parseToml(text: string, path: string): Table {
  try {
    return parse(text, { integersAsBigInt: 'asNeeded', maxDepth: MAX_DEPTH });
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const conflict = conflictIn(text, path, error);
    if (conflict !== undefined) throw conflict;
    const reason = messageOf(error).split('\n')[0]?.replace('Invalid TOML document: ', '') ?? '';
    throw new LockfileError('syntax', `${path}:${error.line}:${error.column}: not valid TOML (${reason})`, {
      cause: error,
    });
  }
}

export function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** The value if it is a table, else an empty table. */
export function tableIn(value: unknown): Table {
  return isTable(value) ? value : {};
}

/** The tables in a list; other elements are ignored. */
export function tablesIn(value: unknown): readonly Table[] {
  return Array.isArray(value) ? value.filter(isTable) : [];
}

/** The strings in a list; other elements are ignored. */
export function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

export function textIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The members of a table in their order; empty for any other value. */
export function membersOf(value: unknown): readonly (readonly [string, unknown])[] {
  return isTable(value) ? Object.entries(value) : [];
}
