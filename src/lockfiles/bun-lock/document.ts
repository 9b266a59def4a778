/** An entry of `packages`: a place in the installed tree and what lies there. */
export interface BunEntry {
  readonly key: string;
  readonly line: number | undefined;
  /** Name and reference: a version, a place, or `workspace:` and `root:` for the target's own. */
  id: string;
  /** What stands second, where it is a text: the registry of a version, unless that is the default one. */
  registry: string;
  integrity: string | undefined;
  dependencies: readonly string[];
  optionalDependencies: readonly string[];
  peerDependencies: readonly string[];
  /** Those of the peers that may be missing. */
  optionalPeers: readonly string[];
}

/** Why an entry cannot be read. */
export interface BunFault {
  readonly key: string;
  readonly line: number | undefined;
  readonly fault: string;
}

/** What is read of a bun.lock, whichever way it was parsed. */
export interface BunDocument {
  readonly lockfileVersion: unknown;
  readonly workspaces: unknown;
  readonly packages: readonly (BunEntry | BunFault)[];
}

const NONE: readonly string[] = [];

export function emptyEntry(key: string, line: number | undefined): BunEntry {
  return {
    key,
    line,
    id: '',
    registry: '',
    integrity: undefined,
    dependencies: NONE,
    optionalDependencies: NONE,
    peerDependencies: NONE,
    optionalPeers: NONE,
  };
}
