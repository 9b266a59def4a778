import { isTable, membersOf } from '../../syntax/parse-toml.ts';
import { parseYaml } from '../../syntax/parse-yaml.ts';
import { type BerryEntry, emptyEntry } from './read-lines.ts';

/** Reads a yarn.lock in any YAML layout. Throws `LockfileError`. */
export function readGeneral(text: string, path: string): readonly BerryEntry[] {
  return parseYaml(text, path).flatMap((document) =>
    document
      .entries()
      .filter(({ key }) => key !== '__metadata')
      .map(({ key, value, line }) => entryOf(key, value, line)),
  );
}

function entryOf(key: string, stated: unknown, line: number | undefined): BerryEntry {
  const entry = emptyEntry(key, line);
  if (!isTable(stated)) return entry;
  const { version, resolution, checksum, dependencies, dependenciesMeta } = stated;
  entry.version = textOf(version);
  entry.resolution = textOf(resolution);
  entry.checksum = checksum === undefined ? undefined : textOf(checksum);
  entry.dependencies = membersOf(dependencies).flatMap(([name, range]) => [name, textOf(range)]);
  entry.optional = membersOf(dependenciesMeta)
    .filter(([, meta]) => isTable(meta) && meta['optional'] === 'true')
    .map(([name]) => name);
  return entry;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
