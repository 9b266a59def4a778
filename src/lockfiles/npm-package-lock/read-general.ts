import { lineNodes } from '../syntax/json-lines.ts';
import { type Entry, isEntry, keysOf } from './entry.ts';
import { emptyEntry, type NpmEntry } from './npm-entry.ts';

/** Reads `packages` from the parsed file. `text` is needed for the lines. */
export function readGeneral(packages: object, text: string): readonly NpmEntry[] {
  const lines = lineNodes(text, { members: { packages: { each: {} } } })?.members?.get('packages')?.members;
  return Object.entries(packages).map(([path, stated]) => entryOf(path, stated, lines?.get(path)?.line));
}

function entryOf(path: string, stated: unknown, line: number | undefined): NpmEntry {
  const entry = emptyEntry(path, line, isEntry(stated));
  if (isEntry(stated)) {
    takeTexts(entry, stated);
    takeFlags(entry, stated);
    entry.dependencies = keysOf(stated.dependencies);
    entry.optionalDependencies = keysOf(stated.optionalDependencies);
    entry.peerDependencies = keysOf(stated.peerDependencies);
    entry.devDependencies = keysOf(stated.devDependencies);
  }
  return entry;
}

function takeTexts(entry: NpmEntry, { name, version, resolved, integrity, workspaces }: Entry): void {
  entry.name = name;
  entry.version = version;
  entry.resolved = resolved;
  entry.integrity = integrity;
  entry.workspaces = workspaces;
}

function takeFlags(entry: NpmEntry, stated: Entry): void {
  entry.link = stated.link === true;
  entry.dev = stated.dev === true;
  entry.optional = stated.optional === true;
  entry.devOptional = stated.devOptional === true;
  entry.peer = stated.peer === true;
  entry.inBundle = stated.inBundle === true;
  entry.bundled = stated.bundled === true;
}
