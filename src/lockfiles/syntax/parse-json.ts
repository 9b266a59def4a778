import { messageOf } from '../../model/errors.ts';
import { isObject, type JsonObject, nestsDeeperThan } from '../../model/json-object.ts';
import { LockfileError } from '../errors.ts';
import type { LockfileInput } from '../format.ts';
import { type JsonInput, type LineNode, lineNodes, type Wanted } from './json-lines.ts';

/** Nested objects and lists; tools write some tens of levels. */
const MAX_DEPTH = 10_000;

/**
 * Parses JSON. `expected` names the file for messages (`a package-lock`). Throws `LockfileError` (`syntax`, `wrong-format`,
 * `too-deep`).
 */
export function parseJson(text: string, path: string, expected: string): unknown {
  if (nestsDeeperThan(MAX_DEPTH, text)) {
    throw new LockfileError('too-deep', `${path}: the JSON nests more than ${MAX_DEPTH} levels deep`);
  }
  return parseShallow(text, path, expected);
}

function parseShallow(text: string, path: string, expected: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const other = otherKind(text);
    if (other !== undefined) {
      throw new LockfileError('wrong-format', `${path}: this is ${other}, not ${expected}`, { cause: error });
    }
    const where = `${path}:${errorLine(text, error)}`;
    throw new LockfileError('syntax', `${where}: not valid JSON (${reason(error)})`, { cause: error });
  }
}

function otherKind(text: string): string | undefined {
  const head = text.slice(0, 2_000).trimStart();
  if (/^<(?:!doctype|html|\?xml)/i.test(head)) return 'a web page or XML';
  if (/^[ \t]*__metadata:/m.test(head) || head.includes('# yarn lockfile v1')) return "yarn's lockfile";
  if (/^lockfileVersion:/m.test(head)) return "pnpm's lockfile";
  if (/^<{7} /m.test(head)) return 'a file with unresolved merge conflicts';
  return undefined;
}

/** Line of the error; the last line when the text is cut off. */
function errorLine(text: string, error: unknown): string {
  const message = messageOf(error);
  const position = /\(line (\d+) column (\d+)\)/.exec(message);
  if (position !== null) return `${position[1]}:${position[2]}`;
  return String(text.trimEnd().split('\n').length);
}

/** The parser's message without its quotation of the text, which can contain anything. */
function reason(error: unknown): string {
  const message = messageOf(error).replace(/(?<!\s)\s+(?:in JSON )?at position.*$/s, '');
  return message.replace(/(?<!\s),?\s*\.{0,3}".*$/s, '').slice(0, 120) || 'cut off or damaged';
}

/** Parses a file that must contain a JSON object. Throws `LockfileError` as `parseJson` does. */
export function parseJsonObject(text: string, path: string, expected: string): JsonObject {
  return objectOf(parseJson(text, path, expected), path, expected);
}

/**
 * Parses a file that must contain a JSON object, with the lines of the selected values. One pass finds them and measures how deep
 * the text nests. Throws `LockfileError` as `parseJson` does, and `UnknownLayout` for `onePassOnly`.
 */
export function parseJsonLines(
  input: JsonInput & Pick<LockfileInput, 'path'>,
  expected: string,
  wanted: Wanted,
): { readonly root: JsonObject; readonly lines: LineNode | undefined } {
  const { text, path } = input;
  const lines = lineNodes(input, wanted);
  const parsed = lines === undefined ? parseJson(text, path, expected) : parseShallow(text, path, expected);
  return { root: objectOf(parsed, path, expected), lines };
}

function objectOf(parsed: unknown, path: string, expected: string): JsonObject {
  if (isObject(parsed)) return parsed;
  throw new LockfileError('wrong-format', `${path}: not ${expected}: the file is not a JSON object`);
}
