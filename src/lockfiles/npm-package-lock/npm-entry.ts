const NOTHING: readonly string[] = [];

/** Fields of an entry by their treatment: unchecked values, flags, and names of dependencies. */
export const VALUES = ['name', 'version', 'resolved', 'integrity', 'workspaces'] as const;
export const FLAGS = ['link', 'dev', 'optional', 'devOptional', 'peer', 'inBundle', 'bundled'] as const;
export const LISTS = ['dependencies', 'optionalDependencies', 'peerDependencies', 'devDependencies'] as const;

/** An entry of `packages`, from either parser. Absent fields are `undefined`, `false` or empty. */
export interface NpmEntry {
  /** The key: the path of a folder. */
  readonly path: string;
  readonly line: number | undefined;
  /** `false` for a value of another type, which has no fields. */
  readonly isObject: boolean;
  name: unknown;
  version: unknown;
  resolved: unknown;
  integrity: unknown;
  workspaces: unknown;
  link: boolean;
  dev: boolean;
  optional: boolean;
  devOptional: boolean;
  peer: boolean;
  inBundle: boolean;
  bundled: boolean;
  /** Names only. */
  dependencies: readonly string[];
  optionalDependencies: readonly string[];
  peerDependencies: readonly string[];
  devDependencies: readonly string[];
}

/** An entry without fields. */
export function emptyEntry(path: string, line: number | undefined, isObject = true): NpmEntry {
  return {
    path,
    line,
    isObject,
    name: undefined,
    version: undefined,
    resolved: undefined,
    integrity: undefined,
    workspaces: undefined,
    link: false,
    dev: false,
    optional: false,
    devOptional: false,
    peer: false,
    inBundle: false,
    bundled: false,
    dependencies: NOTHING,
    optionalDependencies: NOTHING,
    peerDependencies: NOTHING,
    devDependencies: NOTHING,
  };
}
