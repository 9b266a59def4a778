/** Finds the lines of entries that are asked for in the order in which they stand in the text. */
export interface EntryLines {
  /** 1-based line of the next entry with this key (and, for the fall-back, at this path of keys). */
  next(key: string, path: () => readonly string[]): number | undefined;
}

/**
 * One pass over the text: each key is searched from where the one before was found. Text whose keys are in another
 * order or written with escapes is scanned properly instead, once.
 */
export function entryLines(text: string, start: number): EntryLines {
  let position = start;
  let line = 1;
  let counted = 0;
  let scanned: ReadonlyMap<string, number> | undefined;
  const lineAt = (offset: number): number => {
    for (let at = text.indexOf('\n', counted); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) {
      line += 1;
      counted = at + 1;
    }
    return line;
  };
  // As npm writes it, or minified: decided once, so that no search runs through the whole text in vain.
  const opening = text.includes('": {', start) ? '": {' : '":{';
  return {
    next(key, path) {
      if (scanned === undefined) {
        const found = text.indexOf(`"${key}${opening}`, position);
        if (found >= 0) {
          position = found + key.length;
          return lineAt(found);
        }
        scanned = scanLines(text);
      }
      return scanned.get(path().join('\n'));
    },
  };
}

/** Deeper down no lines are told: the paths of a file that nests without end would fill the memory. */
const MAX_DEPTH = 64;

/** Lines of all members of all objects, by their path. The text is known to be JSON. */
function scanLines(text: string): ReadonlyMap<string, number> {
  const lines = new Map<string, number>();
  const path: string[] = [];
  let line = 1;
  let key = '';
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '\n') line += 1;
    else if (character === '{' || character === '[') path.push(key);
    else if (character === '}' || character === ']') path.pop();
    else if (character === '"') {
      const end = endOfString(text, at);
      if (/^\s*:/.test(text.slice(end, end + 64))) {
        key = JSON.parse(text.slice(at, end)) as string;
        if (path.length <= MAX_DEPTH) lines.set([...path.slice(1), key].join('\n'), line);
      }
      at = end - 1;
    }
  }
  return lines;
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}
