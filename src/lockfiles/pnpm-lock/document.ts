import type { YamlReader } from '../syntax/read-yaml.ts';

/** A dependency in the words of the file. */
export interface Reference {
  readonly name: string;
  /** A version with peers, a location, or the key of another entry. */
  readonly reference: string;
}

export type References = readonly Reference[];

/** The `resolution` of an entry. */
export interface Resolution {
  readonly integrity?: string;
  readonly tarball?: string;
  readonly directory?: string;
  readonly repo?: string;
  readonly commit?: string;
}

/** An entry of `packages` or `snapshots`. */
export interface PnpmEntry {
  readonly key: string;
  readonly line: number | undefined;
  name: string | undefined;
  version: string | undefined;
  resolution: Resolution | undefined;
  dev: boolean;
  optional: boolean;
  requiresBuild: boolean;
  dependencies: References;
  optionalDependencies: References;
}

/** The direct dependencies of one folder of the target, by list. */
interface PnpmImporter {
  /** Empty where the lists are at the top of the file. */
  readonly path: string;
  readonly lists: Map<string, References>;
  /** Whether it is written as `{}`; a folder that is cut off is not. */
  readonly isEmpty: boolean;
}

/** One document of a pnpm-lock.yaml. A repeated section has the entries of all. */
export interface PnpmDocument {
  lockfileVersion: string | undefined;
  importers: PnpmImporter[];
  packages: PnpmEntry[];
  snapshots: PnpmEntry[];
  /** A section that is there more than once, as after a merge. */
  repeated: string | undefined;
}

const NONE: References = [];

function emptyDocument(): PnpmDocument {
  return { lockfileVersion: undefined, importers: [], packages: [], snapshots: [], repeated: undefined };
}

export function emptyEntry(key: string, line: number | undefined): PnpmEntry {
  return {
    key,
    line,
    name: undefined,
    version: undefined,
    resolution: undefined,
    dev: false,
    optional: false,
    requiresBuild: false,
    dependencies: NONE,
    optionalDependencies: NONE,
  };
}

/** Lists of packages that pnpm itself needs: its configuration and its own version. */
export const ENVIRONMENT_LISTS: readonly string[] = ['configDependencies', 'packageManagerDependencies'];

/** All lists of an importer. */
const IMPORTER_LISTS: readonly string[] = [
  'dependencies',
  'devDependencies',
  'optionalDependencies',
  ...ENVIRONMENT_LISTS,
];

/** Reads one document of a pnpm-lock.yaml. */
export function readDocument(yaml: YamlReader): PnpmDocument {
  const document = emptyDocument();
  const lists = new Map<string, References>();
  const seen = new Set<string>();
  yaml.members((key) => {
    if (seen.has(key)) document.repeated ??= key;
    seen.add(key);
    if (key === 'lockfileVersion') document.lockfileVersion = yaml.text();
    else if (key === 'packages' || key === 'snapshots')
      document[key] = document[key].concat(readEntries(yaml));
    else if (key === 'importers') document.importers = document.importers.concat(readImporters(yaml));
    else readList(key, yaml, lists);
  });
  // pnpm writes the lists of a target of one folder at the top.
  if (lists.size > 0) document.importers.push({ path: '', lists, isEmpty: false });
  return document;
}

function readImporters(yaml: YamlReader): PnpmDocument['importers'] {
  const importers: PnpmDocument['importers'] = [];
  yaml.members((path) => {
    const lists = new Map<string, References>();
    let isEmpty = yaml.text() === undefined;
    yaml.members((key) => {
      isEmpty = false;
      readList(key, yaml, lists);
    });
    importers.push({ path, lists, isEmpty });
  });
  return importers;
}

function readList(key: string, yaml: YamlReader, lists: Map<string, References>): void {
  if (!IMPORTER_LISTS.includes(key)) return;
  const references = readReferences(yaml);
  if (references.length > 0) lists.set(key, references);
}

function readEntries(yaml: YamlReader): PnpmEntry[] {
  const entries: PnpmEntry[] = [];
  yaml.members((key) => {
    const entry = emptyEntry(key, yaml.line());
    yaml.members((field) => readField(field, yaml, entry));
    entries.push(entry);
  });
  return entries;
}

function readField(field: string, yaml: YamlReader, entry: PnpmEntry): void {
  switch (field) {
    case 'name':
    case 'version':
      entry[field] = yaml.text();
      break;
    case 'dev':
    case 'optional':
    case 'requiresBuild':
      entry[field] = yaml.text() === 'true';
      break;
    case 'dependencies':
    case 'optionalDependencies':
      entry[field] = readReferences(yaml);
      break;
    case 'resolution':
      entry.resolution = readResolution(yaml);
  }
}

const RESOLUTION = ['integrity', 'tarball', 'directory', 'repo', 'commit'] as const;

function readResolution(yaml: YamlReader): Resolution {
  const resolution: { -readonly [Key in keyof Resolution]: Resolution[Key] } = {};
  yaml.members((key) => {
    const known = RESOLUTION.find((one) => one === key);
    const text = known === undefined ? undefined : yaml.text();
    if (known !== undefined && text !== undefined && text !== '') resolution[known] = text;
  });
  return resolution;
}

/** Reads `name: reference`, or `name:` above `specifier: …` and `version: reference`. */
function readReferences(yaml: YamlReader): References {
  const found: Reference[] = [];
  yaml.members((name) => {
    let reference = yaml.text();
    if (reference === undefined) {
      yaml.members((key) => {
        if (key === 'version') reference = yaml.text();
      });
    }
    if (reference !== undefined && reference !== '') found.push({ name, reference });
  });
  return found;
}
