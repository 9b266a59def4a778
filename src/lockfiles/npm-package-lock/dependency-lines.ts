import { type LineNode, lineNodes, type Wanted } from '../syntax/json-lines.ts';

/** Finds the lines of entries that are asked for in the order in which they stand in the text. */
export interface DependencyLines {
  /**
   * 1-based line of the next entry with this key. `depth` counts the objects around it, less the outermost; `path`, for
   * the slow way, gives the keys of the entries around it and its own.
   */
  next(key: string, depth: number, path: () => readonly string[]): number | undefined;
}

const QUOTE = 34;

/**
 * Lines of the entries in the nested `dependencies` of the text. Text as npm writes it, one member on each line, is passed
 * over once: a key at the right depth is told by its indentation. Anything else (written by hand, keys with escapes, in
 * another order than they are asked for) is scanned properly, once.
 */
export function dependencyLines(text: string): DependencyLines {
  if (!text.includes('\n')) return { next: () => 1 };
  const indent = /^\s*\{\r?\n([ \t]+)"/.exec(text)?.[1] ?? '';
  let position = indent === '' ? -1 : text.indexOf(`\n${indent}"dependencies": {`);
  let line = position < 0 ? 0 : newlinesBefore(text, position) + 1;
  let scanned: ReturnType<typeof scanLines> | undefined;
  const margins: string[] = [];
  const search = (key: string, margin: string): number | undefined => {
    const width = margin.length;
    while (position >= 0) {
      const start = position + 1;
      line += 1;
      position = text.indexOf('\n', start);
      if (text.charCodeAt(start + width) !== QUOTE || !text.startsWith(key, start + width + 1)) continue;
      const end = start + width + 1 + key.length;
      if (text.startsWith('": {', end) && text.startsWith(margin, start)) return line;
    }
    return undefined;
  };
  return {
    next(key, depth, path) {
      if (scanned === undefined) {
        margins[depth] ??= indent.repeat(depth);
        const found = search(key, margins[depth]);
        if (found !== undefined) return found;
        scanned = scanLines(text);
      }
      return scanned(path());
    },
  };
}

/** In a tree of dependencies, an entry's own `dependencies` hold entries again. */
const NESTED: { each: Wanted } = { each: {} };
NESTED.each = { members: { dependencies: NESTED } };

function scanLines(text: string): (path: readonly string[]) => number | undefined {
  const top = lineNodes(text, { members: { dependencies: NESTED } })?.members?.get('dependencies');
  return (path) => {
    let found: LineNode | undefined = top;
    for (const [index, key] of path.entries()) {
      const entries: LineNode | undefined = index === 0 ? found : found?.members?.get('dependencies');
      found = entries?.members?.get(key);
    }
    return found?.line;
  };
}

function newlinesBefore(text: string, end: number): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
