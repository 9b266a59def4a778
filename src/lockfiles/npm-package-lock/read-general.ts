import { lineNodes } from '../syntax/json-lines.ts';
import { isEntry, keysOf } from './entry.ts';
import { emptyEntry, FLAGS, LISTS, type NpmEntry, VALUES } from './npm-entry.ts';

/** Reads `packages` from the parsed file. `text` is needed for the lines. */
export function readGeneral(packages: object, text: string): readonly NpmEntry[] {
  const lines = lineNodes(text, { members: { packages: { each: {} } } })?.members?.get('packages')?.members;
  return Object.entries(packages).map(([path, stated]) => entryOf(path, stated, lines?.get(path)?.line));
}

function entryOf(path: string, stated: unknown, line: number | undefined): NpmEntry {
  const entry = emptyEntry(path, line, isEntry(stated));
  if (!isEntry(stated)) return entry;
  for (const field of VALUES) entry[field] = stated[field];
  for (const flag of FLAGS) entry[flag] = stated[flag] === true;
  for (const list of LISTS) entry[list] = keysOf(stated[list]);
  return entry;
}
