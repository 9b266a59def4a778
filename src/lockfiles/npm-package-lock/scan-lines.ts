/** An entry of a section: where it stands, and the entries in the `dependencies` inside it. */
interface Scanned {
  readonly line: number;
  inner: Map<string, Scanned> | undefined;
}

/** An object or list that is being passed over. */
interface Open {
  /** Where its members are noted, when they are entries. */
  readonly entries: Map<string, Scanned> | undefined;
  /** The entry that it is, when it is one: its `dependencies` hold entries again. */
  readonly entry: Scanned | undefined;
}

const NEITHER: Open = { entries: undefined, entry: undefined };
const DEPENDENCIES = 'dependencies';

/**
 * Lines of all entries of a section, by one pass over text that is known to be JSON, however it is laid out. The result
 * takes the keys of the entries from the outermost inwards. Of a key that is repeated the last counts, as in JSON.parse.
 */
export function scanLines(text: string, section: string): (path: readonly string[]) => number | undefined {
  const top = new Map<string, Scanned>();
  const stack: Open[] = [];
  let line = 1;
  let key = '';
  let noted: Scanned | undefined;
  for (let at = nextToken(text, 0); at < text.length; at = nextToken(text, at + 1)) {
    const character = text[at];
    if (character === '\n') line += 1;
    else if (character === '{') {
      stack.push(opened(stack, key, noted, { section, top }));
      noted = undefined;
    } else if (character === '[') {
      stack.push(NEITHER);
      noted = undefined;
    } else if (character !== '"') stack.pop();
    else {
      const end = endOfString(text, at);
      if (isKey(text, end)) {
        key = unescaped(text.slice(at, end));
        noted = note(stack.at(-1)?.entries, key, line);
      }
      at = end - 1;
    }
  }
  return (path) => lineOf(top, path);
}

const TOKEN = /[\n{}[\]"]/g;

/** Where the next line, string, object or list begins or ends; the end of the text when nothing does. */
function nextToken(text: string, from: number): number {
  TOKEN.lastIndex = from;
  return TOKEN.test(text) ? TOKEN.lastIndex - 1 : text.length;
}

function note(entries: Map<string, Scanned> | undefined, key: string, line: number): Scanned | undefined {
  if (entries === undefined) return undefined;
  const noted: Scanned = { line, inner: undefined };
  entries.set(key, noted);
  return noted;
}

/** What an object that opens now, under `key`, is to the scan. */
function opened(
  stack: readonly Open[],
  key: string,
  noted: Scanned | undefined,
  { section, top }: { readonly section: string; readonly top: Map<string, Scanned> },
): Open {
  if (stack.length === 1 && key === section) return { entries: top, entry: undefined };
  if (noted !== undefined) return { entries: undefined, entry: noted };
  const around = stack.at(-1)?.entry;
  if (around === undefined || section !== DEPENDENCIES || key !== DEPENDENCIES) return NEITHER;
  around.inner = new Map();
  return { entries: around.inner, entry: undefined };
}

function lineOf(top: ReadonlyMap<string, Scanned>, path: readonly string[]): number | undefined {
  let entries: ReadonlyMap<string, Scanned> | undefined = top;
  let found: Scanned | undefined;
  for (const key of path) {
    found = entries?.get(key);
    entries = found?.inner;
  }
  return found?.line;
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end + 1;
}

function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text[before] === '\\') before -= 1;
  return (at - before) % 2 === 0;
}

function isKey(text: string, from: number): boolean {
  let at = from;
  while (text[at] === ' ' || text[at] === '\n' || text[at] === '\r' || text[at] === '\t') at += 1;
  return text[at] === ':';
}

function unescaped(quoted: string): string {
  return quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
}
