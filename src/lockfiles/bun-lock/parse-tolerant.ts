import { LockfileError } from '../errors.ts';
import { type JsonObject, parseJsonObject } from '../parse-json.ts';

/** A comma at the end of its line, before a bracket that closes: no JSON string spans lines, so it stands in none. */
const TRAILING_AT_LINE_END = /,(?=[ \t]*\r?\n\s*[}\]])/g;
const EXPECTED = 'a bun.lock';

export interface Tolerant {
  readonly root: JsonObject;
  /** The text as strict JSON, every line where it was. */
  readonly text: string;
}

/** Parses JSON with trailing commas, as Bun writes it, and with comments, as Bun reads it. Throws `LockfileError`. */
export function parseTolerant(text: string, path: string): Tolerant {
  const strict = text.replace(TRAILING_AT_LINE_END, '');
  try {
    return { root: parseJsonObject(strict, path, EXPECTED), text: strict };
  } catch (error) {
    if (!(error instanceof LockfileError) || error.code !== 'syntax') throw error;
    // Comments, or commas that trail within a line: rare, and looked for one character after the other.
    const stricter = withoutTrailingCommas(withoutComments(text));
    return { root: parseJsonObject(stricter, path, EXPECTED), text: stricter };
  }
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
