import { LockfileError } from '../errors.ts';
import { type JsonObject, parseJsonObject } from '../parse-json.ts';

/** A comma at the end of its line, before a bracket that closes: no JSON string spans lines, so it stands in none. */
const TRAILING_AT_LINE_END = /,(?=[ \t]*\r?\n\s*[}\]])/g;
const STRING_OR_TRAILING = /"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])/g;

/** Parses JSON with trailing commas, as Bun writes it. Throws `LockfileError`. */
export function parseTolerant(text: string, path: string): JsonObject {
  const expected = 'a bun.lock';
  const strict = text.replace(TRAILING_AT_LINE_END, '');
  try {
    return parseJsonObject(strict, path, expected);
  } catch (error) {
    if (!(error instanceof LockfileError) || error.code !== 'syntax') throw error;
    // A comma may also trail within a line.
    const stricter = text.replace(STRING_OR_TRAILING, (match) => (match === ',' ? '' : match));
    return parseJsonObject(stricter, path, expected);
  }
}
