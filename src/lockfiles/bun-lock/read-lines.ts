import { LockfileError } from '../errors.ts';
import { InlineJson, UnknownLayout } from '../syntax/inline-json.ts';
import { type BunDocument, type BunEntry, emptyEntry } from './document.ts';
import { parseTolerant } from './parse-tolerant.ts';
import { isIntegrity } from './read-general.ts';

const OPENING = '\n  "packages": {\n';
const CLOSING = / {2}\},?\s*\}\s*$/y;

/**
 * Reads a bun.lock in the layout that Bun writes, packages last and one on each line, in one pass over these. `undefined`
 * for any other.
 */
export function readLines(text: string, path: string): BunDocument | undefined {
  const opening = text.indexOf(OPENING);
  if (opening < 0 || /[\\\t\r]/.test(text)) return undefined;
  const head = text.slice(0, opening);
  try {
    const { root } = parseTolerant(`${head}\n"packages": {} }`, path);
    const packages = readPackages(text, opening + OPENING.length, linesIn(head) + 3);
    return { lockfileVersion: root['lockfileVersion'], workspaces: root['workspaces'], packages };
  } catch (error) {
    // Whatever is wrong with it is said by the reader of the whole.
    if (error instanceof UnknownLayout || error instanceof LockfileError) return undefined;
    throw error;
  }
}

/** From the first line below the opening one, of that number. */
function readPackages(text: string, start: number, firstLine: number): readonly BunEntry[] {
  const json = new InlineJson(text);
  const entries: BunEntry[] = [];
  const keys = new Set<string>();
  let line = firstLine;
  let mayFollow = true;
  for (let at = start; ; line += 1) {
    const end = text.indexOf('\n', at);
    CLOSING.lastIndex = at;
    if (end !== at && text.startsWith('  }', at) && CLOSING.test(text)) return entries;
    if (end < 0) throw new UnknownLayout();
    if (end !== at) {
      if (!mayFollow) throw new UnknownLayout();
      json.enter(at, end);
      const entry = readEntry(json, line);
      mayFollow = json.finish();
      entries.push(entry);
      keys.add(entry.key);
      // Of keys that are repeated the last counts.
      if (keys.size < entries.length) throw new UnknownLayout();
    }
    at = end + 1;
  }
}

/** `"key": ["name@1.0.0", "", { "dependencies": { "a": "^1" } }, "sha512-…"]` */
function readEntry(json: InlineJson, line: number): BunEntry {
  const entry = emptyEntry(json.key(), line);
  let position = 0;
  let hasDetails = false;
  json.list(() => {
    position += 1;
    if (json.isObject() && !hasDetails) {
      hasDetails = true;
      readDetails(json, entry);
    } else if (json.isText()) {
      const text = json.text();
      if (position === 1) entry.id = text;
      else if (isIntegrity(text)) entry.integrity = text;
      if (position === 2) entry.registry = text;
    } else if (position === 1) throw new UnknownLayout();
    else json.skip();
  });
  if (position === 0 || entry.id === '') throw new UnknownLayout();
  return entry;
}

function readDetails(json: InlineJson, entry: BunEntry): void {
  json.object(() => {
    switch (json.key()) {
      case 'dependencies':
        entry.dependencies = readNames(json);
        break;
      case 'optionalDependencies':
        entry.optionalDependencies = readNames(json);
        break;
      case 'peerDependencies':
        entry.peerDependencies = readNames(json);
        break;
      case 'optionalPeers':
        entry.optionalPeers = readTexts(json);
        break;
      default:
        json.skip();
    }
  });
}

function readNames(json: InlineJson): readonly string[] {
  const names: string[] = [];
  json.object(() => {
    names.push(json.key());
    json.skip();
  });
  return names;
}

function readTexts(json: InlineJson): readonly string[] {
  const texts: string[] = [];
  json.list(() => texts.push(json.text()));
  return texts;
}

function linesIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
