import { LockfileError } from '../errors.ts';
import { type JsonObject, parseJsonObject } from '../syntax/parse-json.ts';

/** A comma before a bracket that closes: it trails, unless it stands in a string. */
const TRAILING = /,(?=\s*[}\]])/g;
const EXPECTED = 'a bun.lock';

export interface Tolerant {
  readonly root: JsonObject;
  /** The text as strict JSON, every line where it was. */
  readonly text: string;
}

/** Parses JSON with trailing commas, as Bun writes it, and with comments, as Bun reads it. Throws `LockfileError`. */
export function parseTolerant(text: string, path: string): Tolerant {
  const strict = text.replace(TRAILING, (comma: string, at: number) => (isInString(text, at) ? comma : ''));
  try {
    return { root: parseJsonObject(strict, path, EXPECTED), text: strict };
  } catch (error) {
    if (!(error instanceof LockfileError) || error.code !== 'syntax') throw error;
    // Comments: rare, and looked for one character after the other.
    const stricter = withoutTrailingCommas(withoutComments(text));
    return { root: parseJsonObject(stricter, path, EXPECTED), text: stricter };
  }
}

/** Longer lines than Bun writes. */
const MAX_LINE = 10_000;

/** No JSON string spans lines: the quotes before a place on its line tell. */
function isInString(text: string, at: number): boolean {
  const newline = text.indexOf('\n', at);
  // Nearly always the last of its line.
  if (newline >= 0 && text.slice(at + 1, newline).trim() === '') return false;
  const start = text.lastIndexOf('\n', at) + 1;
  // Not worth counting: if it does trail, the text does not parse, and is looked at in another way.
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

/** Replaces pieces of a JSON text outside its strings: those that begin where the pattern finds something. */
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
