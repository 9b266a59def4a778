import type { LockfileBuilder } from '../../packages/lockfile-builder.ts';
import { LineCursor, type LineInput } from '../../syntax/line-cursor.ts';
import type { Descriptor } from '../descriptor.ts';

/** An entry in the words of the file. */
export interface ClassicEntry {
  /** One or more `name@range`. */
  readonly key: string;
  readonly line: number;
  version: string;
  resolved: string | undefined;
  integrity: string | undefined;
  dependencies: Descriptor[];
  optionalDependencies: Descriptor[];
}

const [QUOTE, COLON, SPACE] = [34, 58, 32];

/**
 * Reads the syntax of yarn v1: entries without indentation, fields indented by two spaces, lists by four. Returns the line
 * of the first merge conflict marker where there is one.
 */
export function readEntries(input: LineInput, builder: LockfileBuilder): readonly ClassicEntry[] | number {
  const { text } = input;
  const cursor = new LineCursor(input);
  const entries: ClassicEntry[] = [];
  let entry: ClassicEntry | undefined;
  let list: Descriptor[] | undefined;
  while (cursor.advance()) {
    const { indent, start, end } = cursor;
    if (indent === 4) {
      list?.push(descriptorIn(text, start, end));
    } else if (indent === 2) {
      if (entry !== undefined) list = readField(cursor, entry);
    } else if (indent === 0) {
      if (isConflict(text, start)) return cursor.line;
      list = undefined;
      entry = openEntry(cursor);
      if (entry !== undefined) entries.push(entry);
      else builder.add('is not an entry', cursor.line, text.slice(start, end));
    }
  }
  return entries;
}

function isConflict(text: string, start: number): boolean {
  return text.startsWith('<<<<<<< ', start) || text.startsWith('>>>>>>> ', start);
}

function openEntry({ text, start, end, line }: LineCursor): ClassicEntry | undefined {
  if (text.charCodeAt(end - 1) !== COLON) return undefined;
  return {
    key: text.slice(start, end - 1),
    line,
    version: '',
    resolved: undefined,
    integrity: undefined,
    dependencies: [],
    optionalDependencies: [],
  };
}

/** Splits `a@^1, "b@npm:c@^2", …`. yarn quotes patterns with special characters. */
export function splitPatterns(key: string): readonly string[] {
  const quote = key.indexOf('"');
  if (quote < 0) return key.includes(', ') ? key.split(', ') : [key];
  // A single one in quotes, as for most scoped packages.
  if (quote === 0 && key.indexOf('"', 1) === key.length - 1 && !key.includes('\\')) return [key.slice(1, -1)];
  return [...key.matchAll(/"((?:[^"\\]|\\.)*)"?|([^\s,"]+)/g)].map(([, quoted, plain]) =>
    quoted === undefined ? (plain ?? '') : unescaped(quoted),
  );
}

const [V, R, I] = [...'vri'].map((character) => character.charCodeAt(0));

/** Reads a field. Returns the list to which the lines below belong. */
function readField({ text, start, end }: LineCursor, entry: ClassicEntry): Descriptor[] | undefined {
  const first = text.charCodeAt(start);
  if (first === QUOTE) return readQuotedField(text, start, end, entry);
  if (first === V && text.startsWith('version ', start)) entry.version = valueFrom(text, start + 8, end);
  else if (first === R && text.startsWith('resolved ', start))
    entry.resolved = valueFrom(text, start + 9, end);
  else if (first === I && text.startsWith('integrity ', start))
    entry.integrity = valueFrom(text, start + 10, end);
  else if (text.startsWith('dependencies:', start)) {
    return entry.dependencies;
  } else if (text.startsWith('optionalDependencies:', start)) {
    return entry.optionalDependencies;
  }
  return undefined;
}

/** Reads a field with a quoted name: npm updates a yarn.lock in this form. */
function readQuotedField(
  text: string,
  start: number,
  end: number,
  entry: ClassicEntry,
): Descriptor[] | undefined {
  const close = text.indexOf('"', start + 1);
  if (close < 0 || close >= end) return undefined;
  const name = text.slice(start + 1, close);
  const isList = text.charCodeAt(close + 1) === COLON;
  if (name === 'dependencies' || name === 'optionalDependencies') {
    return isList ? entry[name] : undefined;
  }
  if (name === 'version' || name === 'resolved' || name === 'integrity') {
    if (!isList) entry[name] = valueFrom(text, close + 1, end);
  }
  return undefined;
}

/** Reads `name range`, each with or without quotes. */
function descriptorIn(text: string, start: number, end: number): Descriptor {
  if (text.charCodeAt(start) === QUOTE) {
    const stated = text.indexOf('"', start + 1);
    const close = stated < 0 || stated > end ? end : stated;
    return { name: text.slice(start + 1, close), range: valueFrom(text, close + 2, end) };
  }
  const space = text.indexOf(' ', start);
  if (space < 0 || space >= end) return { name: text.slice(start, end), range: '' };
  return { name: text.slice(start, space), range: valueFrom(text, space + 1, end) };
}

function valueFrom(text: string, from: number, to: number): string {
  let start = from;
  while (text.charCodeAt(start) === SPACE && start < to) start += 1;
  if (text.charCodeAt(start) !== QUOTE || text.charCodeAt(to - 1) !== QUOTE || to - start < 2)
    return text.slice(start, to);
  const inner = text.slice(start + 1, to - 1);
  return inner.includes('\\') ? unescaped(inner) : inner;
}

function unescaped(inner: string): string {
  if (!inner.includes('\\')) return inner;
  try {
    return JSON.parse(`"${inner}"`) as string;
  } catch {
    // yarn does not write such an escape: keep the text.
    return inner;
  }
}
