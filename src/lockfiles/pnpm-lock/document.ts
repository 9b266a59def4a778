/** Names and what each is resolved to, in the file's own words. */
export type References = readonly (readonly [name: string, reference: string])[];

/** An entry of `packages` or `snapshots`. Fields that it does not state are absent. */
export interface PnpmEntry {
  readonly key: string;
  readonly line: number | undefined;
  name?: string;
  version?: string;
  resolution?: ReadonlyMap<string, string>;
  dev?: boolean;
  optional?: boolean;
  dependencies?: References;
  optionalDependencies?: References;
}

/** What one folder of the target asks for, by the name of the list. */
export interface PnpmImporter {
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

export function emptyDocument(): PnpmDocument {
  return { lockfileVersion: undefined, importers: [], packages: [], snapshots: [] };
}

/** The lists by which an importer asks for packages. */
export const IMPORTER_LISTS: readonly string[] = [
  'dependencies',
  'devDependencies',
  'optionalDependencies',
  'configDependencies',
  'packageManagerDependencies',
];
