/** The members of a JSON object, unchecked. Use `Object.hasOwn` for keys that come from a file. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a parsed JSON value is an object: neither null nor a list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [34, 92, 91, 93, 123, 125];

/** Whether objects and lists nest deeper in a text of JSON. JSON.parse takes 60 bytes for each level outside the heap, where no limit applies. */
export function nestsDeeperThan(most: number, text: string): boolean {
  if (!hasMore(most, text)) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === OPEN_OBJECT || code === OPEN_LIST) {
      depth += 1;
      if (depth > most) return true;
    } else if (code === CLOSE_OBJECT || code === CLOSE_LIST) depth -= 1;
  }
  return false;
}

/** Whether a text has more brackets that open, in strings too: to count them takes a fraction of the time of a walk over the text. */
function hasMore(most: number, text: string): boolean {
  let count = 0;
  for (const open of '{[') {
    for (let at = text.indexOf(open); at >= 0; at = text.indexOf(open, at + 1)) {
      count += 1;
      if (count > most) return true;
    }
  }
  return false;
}

/** The position of the quote that closes the string at `start`; the end of the text when it is not closed. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return at;
  }
  return text.length;
}

/** The text without percent-encoding; unchanged where it is not a valid one. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The value of a JSON text; `undefined` for any other text. */
export function jsonValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
