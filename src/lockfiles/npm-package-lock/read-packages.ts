import { JsonCursor } from '../syntax/json-cursor.ts';
import { KeySet } from '../syntax/key-set.ts';
import { emptyEntry, FLAGS, LISTS, type NpmEntry, VALUES } from './npm-entry.ts';

/** Longer than a path in any file system. */
const MAX_PATH = 3_000;

/**
 * Reads the entries of `packages` (lockfileVersion 2 and 3) in one pass, including entries with the same path. Throws
 * `UnknownLayout` for any other text, which is left to the general parser.
 */
export function readPackages(text: string): readonly NpmEntry[] {
  const cursor = new JsonCursor(text);
  let version: unknown;
  let entries: readonly NpmEntry[] | undefined;
  for (let more = cursor.enterObject(); more; more = cursor.nextMember()) {
    cursor.passKey();
    const key = cursor.lastText();
    if (key === 'lockfileVersion') {
      // JSON.parse takes the last of repeated members.
      if (version !== undefined) throw cursor.unknown();
      version = cursor.value();
      if (version !== 2 && version !== 3) throw cursor.unknown();
    } else if (key === 'packages') {
      if (entries !== undefined) throw cursor.unknown();
      entries = readEntries(cursor);
    } else cursor.pass();
  }
  cursor.finish();
  if (version === undefined || entries === undefined) throw cursor.unknown();
  return entries;
}

function readEntries(cursor: JsonCursor): readonly NpmEntry[] {
  const entries: NpmEntry[] = [];
  for (let more = cursor.enterObject(); more; more = cursor.nextMember()) {
    const line = cursor.passKey();
    const path = cursor.lastKey();
    if (path.length > MAX_PATH) throw cursor.unknown();
    const entry = emptyEntry(path, line);
    entries.push(entry);
    for (let field = cursor.enterObject(); field; field = cursor.nextMember()) {
      cursor.passKey();
      readField(cursor, entry);
    }
  }
  return entries;
}

const FIELDS = new KeySet([...VALUES, ...FLAGS, ...LISTS]);

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
      entry[field] = cursor.nextKeys();
      return;
    default:
      entry[field] = cursor.passTrue();
  }
}
