import type { Name, NameOf } from './places.ts';

/** An entry of `packages`: a place in the installed tree and its package. */
export interface BunEntry {
  readonly key: Name;
  readonly line: number | undefined;
  /** Name and reference: a version, a location, or `workspace:` and `root:` for the target's own. */
  id: string;
  /** The second element, if it is a string: the registry; empty for the default one. */
  registry: string;
  integrity: string | undefined;
  dependencies: readonly Name[];
  optionalDependencies: readonly Name[];
  peerDependencies: readonly Name[];
  /** Peers that may be missing. */
  optionalPeers: readonly string[];
}

/** An entry that cannot be read. */
export interface BunFault {
  readonly key: Name;
  readonly line: number | undefined;
  readonly fault: string;
}

/** A folder of the target with the names of its dependencies. */
export interface BunWorkspace {
  name: string;
  dependencies: readonly Name[];
  devDependencies: readonly Name[];
  optionalDependencies: readonly Name[];
  peerDependencies: readonly Name[];
}

/** A bun.lock, from either parser. */
export interface BunDocument {
  readonly lockfileVersion: unknown;
  readonly workspaces: readonly BunWorkspace[];
  readonly packages: readonly (BunEntry | BunFault)[];
  /** Returns the object of a name. */
  readonly nameOf: NameOf;
}

const NONE: readonly never[] = [];

export function emptyEntry(key: Name, line: number | undefined): BunEntry {
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

export function emptyWorkspace(): BunWorkspace {
  return {
    name: '',
    dependencies: NONE,
    devDependencies: NONE,
    optionalDependencies: NONE,
    peerDependencies: NONE,
  };
}

/** Whether a string is a digest, not a registry or a tag. */
export function isIntegrity(text: string): boolean {
  return /^sha\d+-/.test(text);
}
