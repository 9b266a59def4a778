import { JsonCursor, type JsonInput } from '../syntax/json-cursor.ts';
import { lineNodes } from '../syntax/json-lines.ts';
import { KeySet } from '../syntax/key-set.ts';
import {
  emptyEntry,
  FLAGS,
  type FolderName,
  isEntry,
  keysOf,
  LISTS,
  type NpmEntry,
  VALUES,
} from './entry.ts';
import { createNames, type NameOf } from './installed-tree.ts';

/** Longer than a path in any file system. */
const MAX_PATH = 3_000;

export interface NpmEntries {
  readonly entries: readonly NpmEntry[];
  readonly nameOf: NameOf;
}

/**
 * Reads the entries of `packages` (lockfileVersion 2 and 3) in one pass, including entries with the same path. Throws
 * `UnknownLayout` for any other text, which is left to the general parser.
 */
export function readPackages({ text, bytes, onePassOnly }: JsonInput): NpmEntries {
  const nameOf = createNames();
  const cursor = new JsonCursor(text, { bytes, isLimited: onePassOnly, keyOf: nameOf });
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
  return { entries, nameOf };
}

function readEntries(cursor: JsonCursor<FolderName>): readonly NpmEntry[] {
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

/** Each field is assigned by its name: an assignment with the name in a variable takes several times as long. */
function readField(cursor: JsonCursor<FolderName>, entry: NpmEntry): void {
  switch (cursor.keyIn(FIELDS)) {
    case '':
      cursor.pass();
      break;
    case 'name':
      entry.name = cursor.value();
      break;
    case 'version':
      entry.version = cursor.value();
      break;
    case 'resolved':
      entry.resolved = cursor.value();
      break;
    case 'integrity':
      entry.integrity = cursor.value();
      break;
    case 'workspaces':
      entry.workspaces = cursor.value();
      break;
    case 'dependencies':
      entry.dependencies = cursor.nextKeys();
      break;
    case 'optionalDependencies':
      entry.optionalDependencies = cursor.nextKeys();
      break;
    case 'peerDependencies':
      entry.peerDependencies = cursor.nextKeys();
      break;
    case 'devDependencies':
      entry.devDependencies = cursor.nextKeys();
      break;
    case 'link':
      entry.link = cursor.passTrue();
      break;
    case 'dev':
      entry.dev = cursor.passTrue();
      break;
    case 'optional':
      entry.optional = cursor.passTrue();
      break;
    case 'devOptional':
      entry.devOptional = cursor.passTrue();
      break;
    case 'peer':
      entry.peer = cursor.passTrue();
      break;
    case 'inBundle':
      entry.inBundle = cursor.passTrue();
      break;
    case 'bundled':
      entry.bundled = cursor.passTrue();
      break;
    case 'hasInstallScript':
      entry.hasInstallScript = cursor.passTrue();
      break;
  }
}

/** Reads `packages` from the parsed file. `text` is needed for the lines. */
export function readGeneral(packages: object, text: string): NpmEntries {
  const lines = lineNodes(text, { members: { packages: { each: {} } } })?.members?.get('packages')?.members;
  const nameOf = createNames();
  const entries = Object.entries(packages).map(([path, stated]) => {
    const entry = emptyEntry(path, lines?.get(path)?.line, isEntry(stated));
    if (!isEntry(stated)) return entry;
    for (const field of VALUES) entry[field] = stated[field];
    for (const flag of FLAGS) entry[flag] = stated[flag] === true;
    for (const list of LISTS) entry[list] = keysOf(stated[list]).map(nameOf);
    return entry;
  });
  return { entries, nameOf };
}
