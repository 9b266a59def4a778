import type { Problem } from '../../../model/lockfile.ts';
import { LineCursor } from '../../line-cursor.ts';

/** An entry: what leads to it, and what it was resolved to. */
export interface ClassicEntry {
  /** `name@range`, one or more. */
  readonly patterns: readonly string[];
  readonly line: number;
  version: string;
  resolved: string | undefined;
  integrity: string | undefined;
  readonly dependencies: [name: string, range: string][];
  readonly optionalDependencies: [name: string, range: string][];
}

const [QUOTE, COLON, SPACE] = [34, 58, 32];

/**
 * Reads yarn v1's own syntax: entries at the margin, their fields two spaces in, lists four. The first line of a merge
 * conflict is given instead of entries.
 */
export function readEntries(
  text: string,
  problems: Problem[],
): readonly ClassicEntry[] | { conflict: number } {
  const cursor = new LineCursor(text);
  const entries: ClassicEntry[] = [];
  let entry: ClassicEntry | undefined;
  let list: [string, string][] | undefined;
  while (cursor.advance()) {
    const { indent, start, end } = cursor;
    if (indent === 0) {
      if (isConflict(text, start)) return { conflict: cursor.line };
      entry = openEntry(cursor);
      list = undefined;
      if (entry === undefined) {
        problems.push({
          line: cursor.line,
          message: `"${text.slice(start, Math.min(end, start + 200))}" is no entry`,
        });
      } else entries.push(entry);
    } else if (entry !== undefined && indent === 2) list = readField(cursor, entry);
    else if (list !== undefined && indent === 4) list.push(splitField(cursor));
  }
  return entries;
}

function isConflict(text: string, start: number): boolean {
  return text.startsWith('<<<<<<< ', start) || text.startsWith('>>>>>>> ', start);
}

function openEntry({ text, start, end, line }: LineCursor): ClassicEntry | undefined {
  if (text.charCodeAt(end - 1) !== COLON) return undefined;
  return {
    patterns: splitPatterns(text.slice(start, end - 1)),
    line,
    version: '',
    resolved: undefined,
    integrity: undefined,
    dependencies: [],
    optionalDependencies: [],
  };
}

/** `a@^1, "b@npm:c@^2", …`: quoted where it begins with something other than a letter or holds a colon or a space. */
function splitPatterns(stated: string): readonly string[] {
  if (!stated.includes('"')) return stated.includes(', ') ? stated.split(', ') : [stated];
  return [...stated.matchAll(/"((?:[^"\\]|\\.)*)"|([^\s,"]+)/g)].map(([, quoted, plain]) =>
    quoted === undefined ? (plain ?? '') : unescaped(quoted),
  );
}

function readField(cursor: LineCursor, entry: ClassicEntry): [string, string][] | undefined {
  const { text, start, end } = cursor;
  if (text.charCodeAt(end - 1) === COLON) {
    if (text.startsWith('dependencies:', start)) return entry.dependencies;
    return text.startsWith('optionalDependencies:', start) ? entry.optionalDependencies : undefined;
  }
  if (text.startsWith('version ', start)) entry.version = valueFrom(text, start + 8, end);
  else if (text.startsWith('resolved ', start)) entry.resolved = valueFrom(text, start + 9, end);
  else if (text.startsWith('integrity ', start)) entry.integrity = valueFrom(text, start + 10, end);
  return undefined;
}

/** `name range`, either of them in quotes or not. */
function splitField({ text, start, end }: LineCursor): [string, string] {
  if (text.charCodeAt(start) !== QUOTE) {
    const space = text.indexOf(' ', start);
    if (space < 0 || space >= end) return [text.slice(start, end), ''];
    return [text.slice(start, space), valueFrom(text, space + 1, end)];
  }
  const close = text.indexOf('"', start + 1);
  return [text.slice(start + 1, close), valueFrom(text, close + 2, end)];
}

function valueFrom(text: string, from: number, to: number): string {
  let start = from;
  while (start < to && text.charCodeAt(start) === SPACE) start += 1;
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
    // Not an escape that yarn writes: the text as it stands.
    return inner;
  }
}
