import type { Group, Integrity, LockedPackage, Source } from '../model/lockfile.ts';

/** One entry of a file, before entries of the same package version become one package. */
export interface Occurrence {
  readonly ecosystem: string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly direct: boolean | undefined;
  readonly groups: readonly Group[];
  readonly integrity: readonly Integrity[];
  readonly source: Source;
  readonly line: number | undefined;
}

interface Draft extends Occurrence {
  readonly id: string;
  direct: boolean | undefined;
  groups: readonly Group[];
  integrity: readonly Integrity[];
  /** `undefined` until an edge is known or declared empty. */
  dependencies: Set<string> | undefined;
}

/**
 * Makes packages of entries: the same version from the same source at several places is one package. It is in a group
 * only when every one of its entries is: what is needed anywhere unconditionally is needed.
 */
export class PackageCollector {
  readonly #drafts = new Map<string, Draft>();

  /** Adds an entry and gives the id of its package. */
  add(occurrence: Occurrence): string {
    const id = packageId(occurrence);
    const known = this.#drafts.get(id);
    if (known === undefined) {
      this.#drafts.set(id, { ...occurrence, id, dependencies: undefined });
      return id;
    }
    if (occurrence.direct === true) known.direct = true;
    if (known.groups.length > 0) {
      known.groups = known.groups.filter((group) => occurrence.groups.includes(group));
    }
    for (const digest of occurrence.integrity) {
      if (
        !known.integrity.some(
          ({ algorithm, value }) => algorithm === digest.algorithm && value === digest.value,
        )
      ) {
        known.integrity = [...known.integrity, digest];
      }
    }
    return id;
  }

  markDirect(id: string): void {
    const draft = this.#drafts.get(id);
    if (draft !== undefined) draft.direct = true;
  }

  /** Notes that a package depends on others; called with none for a package known to depend on nothing. */
  connect(id: string, dependencies: readonly string[]): void {
    const draft = this.#drafts.get(id);
    if (draft === undefined) return;
    draft.dependencies ??= new Set();
    for (const dependency of dependencies) draft.dependencies.add(dependency);
  }

  packages(): readonly LockedPackage[] {
    return Array.from(this.#drafts.values(), (draft) => ({
      id: draft.id,
      ecosystem: draft.ecosystem,
      name: draft.name,
      version: draft.version,
      purl: draft.purl,
      direct: draft.direct,
      groups: draft.groups,
      integrity: draft.integrity,
      source: draft.source,
      line: draft.line,
      dependencies: draft.dependencies === undefined ? undefined : [...draft.dependencies],
    }));
  }
}

function packageId({ name, version, source }: Occurrence): string {
  const base = `${name}@${version}`;
  switch (source.kind) {
    case 'registry':
      return base;
    case 'git':
      return `${base} (${source.url}${source.commit === undefined ? '' : `#${source.commit}`})`;
    case 'path':
      return `${base} (${source.path})`;
    case 'url':
      return `${base} (${source.url})`;
  }
}
