import { messageOf } from '../../model/errors.ts';
import { LockfileError } from '../errors.ts';

/** Objects and lists within each other; no tool writes more than some tens. */
const MAX_DEPTH = 10_000;

const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [34, 92, 91, 93, 123, 125];

/** The engine's parser takes 60 bytes a level, outside of any limit of its heap. */
function nestsDeeperThan(most: number, text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfText(text, at);
    else if (code === OPEN_OBJECT || code === OPEN_LIST) {
      depth += 1;
      if (depth > most) return true;
    } else if (code === CLOSE_OBJECT || code === CLOSE_LIST) depth -= 1;
  }
  return false;
}

/** The place of the quote that ends the text which begins at `start`; the end where there is none. */
function endOfText(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at += 1;
    else if (code === QUOTE) return at;
  }
  return text.length;
}

/**
 * Parses the text of `expected` (such as `a package-lock`), or says what it is instead. Throws `LockfileError` (`syntax`,
 * `wrong-format`, `too-deep`).
 */
export function parseJson(text: string, path: string, expected: string): unknown {
  if (nestsDeeperThan(MAX_DEPTH, text)) {
    throw new LockfileError('too-deep', `${path}: the JSON nests more than ${MAX_DEPTH} levels deep`);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    const other = otherKind(text);
    if (other !== undefined) {
      throw new LockfileError('wrong-format', `${path}: this is ${other}, not ${expected}`, {
        cause: error,
      });
    }
    throw new LockfileError(
      'syntax',
      `${path}:${faultLine(text, error)}: not valid JSON (${reason(error)})`,
      {
        cause: error,
      },
    );
  }
}

function otherKind(text: string): string | undefined {
  const head = text.slice(0, 2_000).trimStart();
  if (/^<(?:!doctype|html|\?xml)/i.test(head)) return 'a web page or XML';
  if (/^(?:#.*\n)*\s*__metadata:/m.test(head) || head.includes('# yarn lockfile v1'))
    return "yarn's lockfile";
  if (/^lockfileVersion:/m.test(head)) return "pnpm's lockfile";
  if (/^<{7} /m.test(head)) return 'a file with unresolved merge conflicts';
  return undefined;
}

/** Line of the fault; the end of the text when it is cut off. */
function faultLine(text: string, error: unknown): string {
  const message = messageOf(error);
  const told = /\(line (\d+) column (\d+)\)/.exec(message);
  if (told !== null) return `${told[1]}:${told[2]}`;
  return String(text.trimEnd().split('\n').length);
}

/** The parser's words without the piece of the text that it quotes: that could be anything. */
function reason(error: unknown): string {
  const message = messageOf(error).replace(/\s+(?:in JSON )?at position.*$/s, '');
  return message.replace(/,?\s*\.{0,3}".*$/s, '').slice(0, 120) || 'cut off or damaged';
}

/** An object of a JSON file, its fields unchecked. Names chosen by others are only ever asked for with `Object.hasOwn`. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses a file that has to hold a JSON object. Throws `LockfileError` as `parseJson` does. */
export function parseJsonObject(text: string, path: string, expected: string): JsonObject {
  const root = parseJson(text, path, expected);
  if (isJsonObject(root)) return root;
  throw new LockfileError('wrong-format', `${path}: ${expected} is a JSON object, this is not`);
}
