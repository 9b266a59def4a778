import { isTable, membersOf, type Table, textIn } from '../syntax/parse-toml.ts';
import { parseYaml, type YamlDocument } from '../syntax/parse-yaml.ts';
import {
  emptyDocument,
  emptyEntry,
  IMPORTER_LISTS,
  newReference,
  type PnpmDocument,
  type PnpmEntry,
  type PnpmImporter,
  type References,
  type Resolution,
} from './document.ts';

/** Reads a pnpm-lock.yaml in any layout. Throws `LockfileError`. */
export function readGeneral(text: string, path: string): readonly PnpmDocument[] {
  return parseYaml(text, path)
    .filter(({ content }) => content !== null && content !== '')
    .map((yaml) => (isTable(yaml.content) ? documentOf(yaml) : emptyDocument()));
}

function documentOf(yaml: YamlDocument): PnpmDocument {
  const root = yaml.content as Table;
  const document = emptyDocument();
  const version = root['lockfileVersion'];
  document.lockfileVersion = textIn(version);
  const own = importerOf('', root);
  if (own.lists.size > 0) document.importers.push(own);
  for (const [path, importer] of membersOf(root['importers']))
    document.importers.push(importerOf(path, importer));
  for (const section of ['packages', 'snapshots'] as const) {
    for (const { key, value, line } of yaml.entries(section)) {
      document[section].push(entryOf(key, isTable(value) ? value : {}, line));
    }
  }
  return document;
}

function importerOf(path: string, stated: unknown): PnpmImporter {
  const lists = new Map<string, References>();
  for (const [list, references] of membersOf(stated)) {
    if (IMPORTER_LISTS.includes(list)) lists.set(list, referencesOf(references));
  }
  return { path, lists };
}

function entryOf(key: string, stated: Table, line: number | undefined): PnpmEntry {
  const { name, version, resolution, dev, optional, requiresBuild } = stated;
  const { dependencies, optionalDependencies } = stated;
  const entry = emptyEntry(key, line);
  entry.name = textIn(name);
  entry.version = textIn(version);
  if (isTable(resolution)) entry.resolution = resolutionOf(resolution);
  entry.dev = dev === 'true';
  entry.optional = optional === 'true';
  entry.requiresBuild = requiresBuild === 'true';
  entry.dependencies = referencesOf(dependencies);
  entry.optionalDependencies = referencesOf(optionalDependencies);
  return entry;
}

function resolutionOf(stated: Table): Resolution {
  const texts = membersOf(stated).filter(
    (member): member is [string, string] => typeof member[1] === 'string' && member[1] !== '',
  );
  return Object.fromEntries(texts);
}

function referencesOf(stated: unknown): References {
  return membersOf(stated).flatMap(([name, value]): References => {
    const reference = isTable(value) ? textIn(value['version']) : value;
    return typeof reference === 'string' && reference !== '' ? [newReference(name, reference)] : [];
  });
}
