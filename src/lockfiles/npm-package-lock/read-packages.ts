import { JsonCursor, KeySet, UnknownJson } from '../syntax/json-cursor.ts';
import { emptyEntry, type NpmEntry } from './npm-entry.ts';

/**
 * Reads the entries of `packages` (lockfileVersion 2 and 3) out of the text, without parsing all the rest of it. Gives
 * `undefined` for any other text, JSON or not, and for what is odd enough to be left to the general parser.
 */
export function readPackages(text: string): readonly NpmEntry[] | undefined {
  try {
    return readRoot(new JsonCursor(text));
  } catch (error) {
    if (error instanceof UnknownJson) return undefined;
    throw error;
  }
}

function readRoot(cursor: JsonCursor): readonly NpmEntry[] | undefined {
  let version: unknown;
  let entries: readonly NpmEntry[] | undefined;
  for (let more = cursor.enterObject(); more; more = cursor.nextMember()) {
    cursor.passKey();
    const key = cursor.lastText();
    if (key === 'lockfileVersion') {
      // Of members that are repeated the last counts.
      if (version !== undefined) throw cursor.unknown();
      version = cursor.value();
      if (version !== 2 && version !== 3) return undefined;
    } else if (key === 'packages') {
      if (entries !== undefined) throw cursor.unknown();
      entries = readEntries(cursor);
    } else cursor.pass();
  }
  cursor.finish();
  return version === undefined ? undefined : entries;
}

function readEntries(cursor: JsonCursor): readonly NpmEntry[] {
  const entries: NpmEntry[] = [];
  const paths = new Set<string>();
  for (let more = cursor.enterObject(); more; more = cursor.nextMember()) {
    const line = cursor.passKey();
    const entry = emptyEntry(keyText(cursor), line);
    entries.push(entry);
    paths.add(entry.path);
    for (let field = cursor.enterObject(); field; field = cursor.nextMember()) {
      cursor.passKey();
      readField(cursor, entry);
    }
  }
  if (paths.size < entries.length) throw cursor.unknown();
  return entries;
}

const TEXTS = ['name', 'version', 'resolved', 'integrity'] as const;
const FLAGS = ['link', 'dev', 'optional', 'devOptional', 'peer', 'inBundle', 'bundled'] as const;
const LISTS = ['dependencies', 'optionalDependencies', 'peerDependencies', 'devDependencies'] as const;
type Field = (typeof TEXTS | typeof FLAGS | typeof LISTS)[number] | 'workspaces';
const FIELDS = new KeySet<Field>([...TEXTS, ...FLAGS, ...LISTS, 'workspaces']);

function readField(cursor: JsonCursor, entry: NpmEntry): void {
  const field = cursor.keyIn(FIELDS);
  switch (field) {
    case undefined:
      cursor.pass();
      return;
    case 'name':
    case 'version':
    case 'resolved':
    case 'integrity':
    case 'workspaces':
      entry[field] = cursor.value();
      return;
    case 'dependencies':
    case 'optionalDependencies':
    case 'peerDependencies':
    case 'devDependencies':
      entry[field] = readNames(cursor);
      return;
    default:
      entry[field] = cursor.passTrue();
  }
}

function readNames(cursor: JsonCursor): readonly string[] {
  const names: string[] = [];
  for (let more = cursor.enterObject(); more; more = cursor.nextMember()) {
    cursor.passKey();
    names.push(keyText(cursor));
    cursor.pass();
  }
  return names;
}

const INDEX = /^(?:0|[1-9]\d*)$/;

/** Keys that are numbers come first in a parsed object, wherever they stand in the text. */
function keyText(cursor: JsonCursor): string {
  const key = cursor.lastText();
  const first = key.charCodeAt(0);
  if (first >= 48 && first <= 57 && INDEX.test(key)) throw cursor.unknown();
  return key;
}
