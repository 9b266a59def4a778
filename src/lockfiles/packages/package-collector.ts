import type { Group, Integrity, LockedPackage, Source } from '../../model/scan/lockfile.ts';

/** A package while its file is being read: entries and edges are still being added to it. */
export interface PackageDraft extends LockedPackage {
  line: number | undefined;
  direct: boolean | undefined;
  source: Source;
  groups: readonly Group[];
  integrity: readonly Integrity[];
  dependencies: string[] | undefined;
}

/** Groups that say how a package comes, not when it is left out. */
const NO_CONDITIONS: ReadonlySet<Group> = new Set(['bundled', 'peer']);

/**
 * Makes packages of entries: the same version from the same source at several places is one package. It is in a group
 * when every one of its entries is: what is needed anywhere unconditionally is needed. Where each is conditional, but
 * not on the same (a development dependency here, an optional one there), it is in all of these groups.
 */
export class PackageCollector {
  readonly #drafts = new Map<string, PackageDraft>();
  /** Of packages with several entries: all conditions these are under; `undefined` when one is under none. */
  readonly #conditions = new Map<PackageDraft, ReadonlySet<Group> | undefined>();

  /** Of packages whose entries state different digests: all of them. */
  readonly #digests = new Map<PackageDraft, Map<string, Integrity>>();

  /** Adds an entry, which becomes the package itself when it is the first of its id; gives the package. */
  add(entry: PackageDraft): PackageDraft {
    const known = this.#drafts.get(entry.id);
    if (known === undefined) {
      this.#drafts.set(entry.id, entry);
      return entry;
    }
    if (entry.direct === true) known.direct = true;
    if (known.source.kind === 'registry' && known.source.url === undefined) known.source = entry.source;
    this.#joinGroups(known, entry.groups);
    this.#joinIntegrity(known, entry.integrity);
    return known;
  }

  packages(): readonly LockedPackage[] {
    for (const [draft, digests] of this.#digests) draft.integrity = [...digests.values()];
    for (const [draft, conditions] of this.#conditions) {
      if (conditions === undefined || conditionsOf(draft.groups).length > 0) continue;
      draft.groups = [...[...conditions].sort(), ...draft.groups];
    }
    return [...this.#drafts.values()];
  }

  #joinIntegrity(known: PackageDraft, digests: readonly Integrity[]): void {
    if (digests.length === 0 || isSameDigest(known.integrity, digests)) return;
    const joined = this.#digests.get(known) ?? new Map(known.integrity.map((one) => [digestKey(one), one]));
    const before = joined.size;
    for (const one of digests) joined.set(digestKey(one), joined.get(digestKey(one)) ?? one);
    if (joined.size > before) this.#digests.set(known, joined);
  }

  #joinGroups(known: PackageDraft, groups: readonly Group[]): void {
    // Needed unconditionally by both, as nearly all are.
    if (groups.length === 0 && known.groups.length === 0 && !this.#conditions.has(known)) return;
    const before = this.#conditions.has(known)
      ? this.#conditions.get(known)
      : someOf(conditionsOf(known.groups));
    const more = someOf(conditionsOf(groups));
    this.#conditions.set(known, before && more && new Set([...before, ...more]));
    if (known.groups.length > 0) known.groups = known.groups.filter((group) => groups.includes(group));
  }
}

function conditionsOf(groups: readonly Group[]): readonly Group[] {
  return groups.filter((group) => !NO_CONDITIONS.has(group));
}

function someOf(groups: readonly Group[]): ReadonlySet<Group> | undefined {
  return groups.length === 0 ? undefined : new Set(groups);
}

/**
 * Notes what a package depends on, each id once; a package known to depend on nothing is connected to nothing. The edges
 * of the same package at another place are added.
 */
export function connect(draft: PackageDraft, dependencies: string[]): void {
  const known = draft.dependencies;
  if (known === undefined || known.length === 0) {
    draft.dependencies = dependencies;
    return;
  }
  if (dependencies.length === 0) return;
  const ids = JOINED.get(known) ?? new Set(known);
  JOINED.set(known, ids);
  for (const id of dependencies) {
    if (ids.has(id)) continue;
    ids.add(id);
    known.push(id);
  }
}

/** A list is faster than a set for the few that a package needs. */
const FEW = 64;

/** Notes what a package depends on, where the same package may be named several times. */
export function connectAll(
  draft: PackageDraft,
  always: readonly PackageDraft[],
  optional: readonly PackageDraft[],
): void {
  const all = optional.length === 0 ? always : [...always, ...optional];
  // A list that is made whole takes no more memory than it needs; one that grows does.
  const ids = all.map(idOf);
  connect(draft, all.length <= FEW && isDistinct(all) ? ids : [...new Set(ids)]);
}

function idOf({ id }: PackageDraft): string {
  return id;
}

function isDistinct(all: readonly PackageDraft[]): boolean {
  for (let at = 1; at < all.length; at += 1) if (all.indexOf(all[at] as PackageDraft) !== at) return false;
  return true;
}

/** Ids in the lists that several entries add to: a file may repeat a package as often as it has lines. */
const JOINED = new WeakMap<readonly string[], Set<string>>();

/** `name@version`, followed by the source where that is not a registry. */
export function packageId(name: string, version: string, source: Source): string {
  switch (source.kind) {
    case 'registry':
      return `${name}@${version}`;
    case 'git':
      return `${name}@${version} (${source.url}${source.commit === undefined ? '' : `#${source.commit}`})`;
    case 'path':
      return `${name}@${version} (${source.path})`;
    case 'url':
      return `${name}@${version} (${source.url})`;
  }
}

function isSameDigest(
  [known, ...others]: readonly Integrity[],
  [one, ...more]: readonly Integrity[],
): boolean {
  if (others.length > 0 || more.length > 0) return false;
  return known?.value === one?.value && known?.algorithm === one?.algorithm;
}

function digestKey({ algorithm, value }: Integrity): string {
  return `${algorithm}:${value}`;
}
