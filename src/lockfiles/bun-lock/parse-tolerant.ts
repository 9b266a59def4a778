import { LockfileError } from '../errors.ts';
import { type JsonObject, parseJsonObject } from '../syntax/parse-json.ts';

/** A comma before a closing bracket: a trailing comma, unless it is in a string. */
const TRAILING = /,(?=\s*[}\]])/g;
const EXPECTED = 'a bun.lock';

export interface Tolerant {
  readonly root: JsonObject;
  /** The text as strict JSON with the same lines. */
  readonly text: string;
}

/** Parses JSON with trailing commas, which Bun writes, and comments, which Bun accepts. Throws `LockfileError`. */
export function parseTolerant(text: string, path: string): Tolerant {
  const strict = text.replace(TRAILING, (comma: string, at: number) => (isInString(text, at) ? comma : ''));
  try {
    return { root: parseJsonObject(strict, path, EXPECTED), text: strict };
  } catch (error) {
    if (!(error instanceof LockfileError) || error.code !== 'syntax') throw error;
    // Comments are rare, and their removal is slower.
    const stricter = withoutTrailingCommas(withoutComments(text));
    return { root: parseJsonObject(stricter, path, EXPECTED), text: stricter };
  }
}

/** Bun writes shorter lines. */
const MAX_LINE = 10_000;

/** Strings in JSON end with their line, so the quotes before a position on its line decide. */
function isInString(text: string, at: number): boolean {
  const newline = text.indexOf('\n', at);
  // The usual case: the comma ends its line.
  if (newline >= 0 && text.slice(at + 1, newline).trim() === '') return false;
  const start = text.lastIndexOf('\n', at) + 1;
  // Counting in long lines would be quadratic. If the comma trails, the text does not parse and the slower path runs.
  if (at - start > MAX_LINE) return true;
  let inside = false;
  for (let place = start; place < at; place += 1) {
    if (inside && text[place] === '\\') place += 1;
    else if (text[place] === '"') inside = !inside;
  }
  return inside;
}

function withoutComments(text: string): string {
  return rewritten(text, /["/]/g, (at) => {
    const isLine = text.startsWith('//', at);
    if (!isLine && !text.startsWith('/*', at)) return undefined;
    const close = isLine ? text.indexOf('\n', at) : text.indexOf('*/', at + 2);
    const end = close < 0 ? text.length : close + (isLine ? 0 : 2);
    return { end, by: text.slice(at, end).replace(/[^\n]+/g, ' ') };
  });
}

function withoutTrailingCommas(text: string): string {
  return rewritten(text, /[",]/g, (at) => {
    let next = at + 1;
    while (' \t\r\n'.includes(text.charAt(next)) && next < text.length) next += 1;
    return text[next] === '}' || text[next] === ']' ? { end: at + 1, by: '' } : undefined;
  });
}

/** Replaces parts of a JSON text outside strings. `pieceAt` is called for the matches of the pattern. */
function rewritten(
  text: string,
  pattern: RegExp,
  pieceAt: (at: number) => { readonly end: number; readonly by: string } | undefined,
): string {
  const kept: string[] = [];
  let from = 0;
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    const at = found.index;
    if (found[0] === '"') pattern.lastIndex = endOfString(text, at);
    else {
      const piece = pieceAt(at);
      if (piece === undefined) continue;
      kept.push(text.slice(from, at), piece.by);
      from = piece.end;
      pattern.lastIndex = from;
    }
  }
  return kept.length === 0 ? text : kept.join('') + text.slice(from);
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}
