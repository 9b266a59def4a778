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
}

/** One document of a pnpm-lock.yaml. Where a section is repeated, the last one counts. */
export interface PnpmDocument {
  lockfileVersion: string | undefined;
  importers: PnpmImporter[];
  packages: PnpmEntry[];
  snapshots: PnpmEntry[];
}

const NONE: References = [];

export function emptyDocument(): PnpmDocument {
  return { lockfileVersion: undefined, importers: [], packages: [], snapshots: [] };
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
export const IMPORTER_LISTS: readonly string[] = [
  'dependencies',
  'devDependencies',
  'optionalDependencies',
  ...ENVIRONMENT_LISTS,
];
