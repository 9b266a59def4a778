/** Names and what each is resolved to, by turns, in the file's own words. */
export type References = readonly string[];

/** Where the bytes of an entry come from; what it does not state is absent. */
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
  dependencies: References;
  optionalDependencies: References;
}

/** What one folder of the target asks for, by the name of the list. */
export interface PnpmImporter {
  /** Empty where the lists stand at the top of the file. */
  readonly path: string;
  readonly lists: Map<string, References>;
}

/** One document of a pnpm-lock.yaml: what is read of it, whichever way it was parsed. */
export interface PnpmDocument {
  lockfileVersion: string | undefined;
  readonly importers: PnpmImporter[];
  readonly packages: PnpmEntry[];
  readonly snapshots: PnpmEntry[];
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
    dependencies: NONE,
    optionalDependencies: NONE,
  };
}

/** The lists of what pnpm needs before it looks at the target: what configures it, and itself. */
export const ENVIRONMENT_LISTS: readonly string[] = ['configDependencies', 'packageManagerDependencies'];

/** The lists by which an importer asks for packages. */
export const IMPORTER_LISTS: readonly string[] = [
  'dependencies',
  'devDependencies',
  'optionalDependencies',
  ...ENVIRONMENT_LISTS,
];
