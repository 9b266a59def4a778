import { JsonCursor, type JsonInput } from '../syntax/json-cursor.ts';
import { KeySet } from '../syntax/key-set.ts';
import {
  type BunDocument,
  type BunEntry,
  type BunWorkspace,
  emptyEntry,
  emptyWorkspace,
  isIntegrity,
} from './document.ts';
import { createNames, type Name } from './places.ts';

const SECTIONS = new KeySet(['lockfileVersion', 'workspaces', 'packages']);

/**
 * Reads a bun.lock in one pass. Throws `UnknownLayout` for text that Bun does not write (comments, repeated keys) and for
 * invalid text.
 */
export function readDocument({ text, bytes, onePassOnly }: JsonInput): BunDocument {
  const nameOf = createNames();
  const cursor = new JsonCursor(text, { commasMayTrail: true, bytes, isLimited: onePassOnly, keyOf: nameOf });
  const seen = new Set<string>();
  let lockfileVersion: unknown;
  let workspaces: readonly BunWorkspace[] = [];
  let packages: readonly BunEntry[] = [];
  for (let more = cursor.enterObject(); more; more = cursor.nextMember()) {
    cursor.passKey();
    const section = cursor.keyIn(SECTIONS);
    if (section === '') {
      cursor.pass();
      continue;
    }
    // JSON.parse takes the last of repeated members.
    if (seen.has(section)) throw cursor.unknown();
    seen.add(section);
    if (section === 'lockfileVersion') lockfileVersion = cursor.value();
    else if (section === 'workspaces') workspaces = readWorkspaces(cursor);
    else packages = readPackages(cursor);
  }
  cursor.finish();
  return { lockfileVersion, workspaces, packages, nameOf };
}

function readPackages(cursor: JsonCursor<Name>): readonly BunEntry[] {
  const entries: BunEntry[] = [];
  for (let more = cursor.enterObject(); more; more = cursor.nextMember()) {
    const line = cursor.passKey();
    const key = cursor.key();
    if (key.isKey) throw cursor.unknown();
    key.isKey = true;
    const entry = emptyEntry(key, line);
    readEntry(cursor, entry);
    entries.push(entry);
  }
  return entries;
}

/** `["name@1.0.0", "", { "dependencies": { "a": "^1" } }, "sha512-…"]` */
function readEntry(cursor: JsonCursor<Name>, entry: BunEntry): void {
  let position = 0;
  let hasDetails = false;
  for (let more = cursor.enterList(); more; more = cursor.nextElement()) {
    position += 1;
    if (cursor.isTextNext()) {
      const text = cursor.nextText();
      if (position === 1) entry.id = text;
      else if (isIntegrity(text)) entry.integrity = text;
      if (position === 2) entry.registry = text;
    } else if (position === 1) throw cursor.unknown();
    else if (cursor.isObjectNext() && !hasDetails) {
      hasDetails = true;
      readDetails(cursor, entry);
    } else cursor.pass();
  }
  if (position === 0) throw cursor.unknown();
}

const DETAILS = new KeySet(['dependencies', 'optionalDependencies', 'peerDependencies', 'optionalPeers']);

function readDetails(cursor: JsonCursor<Name>, entry: BunEntry): void {
  for (let more = cursor.enterObject(); more; more = cursor.nextMember()) {
    cursor.passKey();
    const detail = cursor.keyIn(DETAILS);
    if (detail === '') cursor.pass();
    else if (detail === 'optionalPeers') entry.optionalPeers = readTexts(cursor);
    else entry[detail] = cursor.nextKeys();
  }
}

const LISTS = new KeySet([
  'name',
  'dependencies',
  'devDependencies',
  'optionalDependencies',
  'peerDependencies',
]);

function readWorkspaces(cursor: JsonCursor<Name>): readonly BunWorkspace[] {
  const workspaces: BunWorkspace[] = [];
  const paths = new Set<string>();
  for (let more = cursor.enterObject(); more; more = cursor.nextMember()) {
    cursor.passKey();
    const workspace = emptyWorkspace();
    paths.add(cursor.lastKey());
    workspaces.push(workspace);
    if (paths.size < workspaces.length) throw cursor.unknown();
    for (let field = cursor.enterObject(); field; field = cursor.nextMember()) {
      cursor.passKey();
      const list = cursor.keyIn(LISTS);
      if (list === '') cursor.pass();
      else if (list === 'name') workspace.name = cursor.nextText();
      else workspace[list] = cursor.nextKeys();
    }
  }
  return workspaces;
}

function readTexts(cursor: JsonCursor<Name>): readonly string[] {
  const texts: string[] = [];
  for (let more = cursor.enterList(); more; more = cursor.nextElement()) texts.push(cursor.nextText());
  return texts;
}
