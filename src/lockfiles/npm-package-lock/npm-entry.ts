const NOTHING: readonly string[] = [];

/** An entry of `packages`, whichever way the file was parsed; what it does not state is `undefined`, `false` or empty. */
export interface NpmEntry {
  /** Its key: the path of a folder. */
  readonly path: string;
  readonly line: number | undefined;
  /** Something else than an object states nothing. */
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
  /** The names in its lists of dependencies. */
  dependencies: readonly string[];
  optionalDependencies: readonly string[];
  peerDependencies: readonly string[];
  devDependencies: readonly string[];
}

/** An entry that states nothing yet. */
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
