import type { Group, Integrity, LockedPackage, Source } from '../../model/lockfile/lockfile.ts';

/** A package while its file is read. Further entries and edges change it. */
export interface PackageDraft extends LockedPackage {
  id: string;
  line: number | undefined;
  direct: boolean | undefined;
  source: Source;
  groups: readonly Group[];
  integrity: readonly Integrity[];
  dependencies: string[] | undefined;
  installScript?: true;
}

/** Groups that are not conditions: they do not say when a package is left out. */
const NO_CONDITIONS: ReadonlySet<Group> = new Set(['bundled', 'peer']);

/**
 * Merges entries into packages: entries of the same version from the same source are one package; another registry is another source. It is in a group when all
 * of its entries are. Where all entries have conditions, but different ones (one `dev`, one `optional`), it has all of these.
 */
export class PackageCollector {
  readonly #byId = new Map<string, PackageDraft>();
  /** For packages with several entries: all their conditions; `undefined` when an entry has none. */
  readonly #conditions = new Map<PackageDraft, ReadonlySet<Group> | undefined>();

  /** For packages whose entries state different digests: all digests. */
  readonly #digests = new Map<PackageDraft, Map<string, Integrity>>();

  /** Adds an entry and returns its package: the first entry with this id. */
  add(entry: PackageDraft): PackageDraft {
    const known = this.#byId.get(entry.id);
    if (known === undefined) {
      this.#byId.set(entry.id, entry);
      return entry;
    }
    const registry = registryOf(entry);
    if (registry !== undefined && registry !== (registryOf(known) ?? registry)) {
      entry.id = `${entry.id} (${registry})`;
      return this.add(entry);
    }
    if (entry.direct === true) known.direct = true;
    if (entry.installScript === true) known.installScript = true;
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
    return [...this.#byId.values()];
  }

  #joinIntegrity(known: PackageDraft, digests: readonly Integrity[]): void {
    if (digests.length === 0 || isSameDigest(known.integrity, digests)) return;
    const joined = this.#digests.get(known) ?? new Map(known.integrity.map((one) => [digestKey(one), one]));
    const before = joined.size;
    for (const one of digests) joined.set(digestKey(one), joined.get(digestKey(one)) ?? one);
    if (joined.size > before) this.#digests.set(known, joined);
  }

  #joinGroups(known: PackageDraft, groups: readonly Group[]): void {
    // The usual case: no entry has a condition.
    if (groups.length === 0 && known.groups.length === 0 && !this.#conditions.has(known)) return;
    const before = this.#conditions.has(known)
      ? this.#conditions.get(known)
      : someOf(conditionsOf(known.groups));
    const more = someOf(conditionsOf(groups));
    this.#conditions.set(known, before && more && new Set([...before, ...more]));
    if (known.groups.length > 0) known.groups = known.groups.filter((group) => groups.includes(group));
  }
}

/** Names a file: its folder is that of one package, or of one digest. */
const ARCHIVE = /\.(?:tgz|gz|bz2|xz|zip|whl|egg|gem|crate|jar|nupkg)$/;

/**
 * The registry that a file names: its host, with its path where a host has several. `undefined` for none, and for several that it does not
 * tell apart.
 */
function registryOf({ source, name }: PackageDraft): string | undefined {
  if (source.kind !== 'registry' || source.url === undefined || source.url.includes(' ')) return undefined;
  const [, , host = '', ...rest] = (source.url.split(/[?#]/, 1)[0] ?? '').replace(/%2f/i, '/').split('/');
  const path = `/${rest.filter((part) => part !== '').join('/')}`;
  const tarball = path.indexOf(`/${name}/-/`);
  if (tarball >= 0) return host + path.slice(0, tarball);
  return path === '/' || path.includes('/-/') || ARCHIVE.test(path) ? host : host + path;
}

function conditionsOf(groups: readonly Group[]): readonly Group[] {
  return groups.filter((group) => !NO_CONDITIONS.has(group));
}

function someOf(groups: readonly Group[]): ReadonlySet<Group> | undefined {
  return groups.length === 0 ? undefined : new Set(groups);
}

/**
 * Adds the dependencies of a package, ids without repeats. Call it with an empty list when the package is known to have no
 * dependencies. Edges of further entries of the package are added.
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

/** Adds the dependencies of a package, which may contain repeats. */
export function connectAll(
  draft: PackageDraft,
  always: readonly PackageDraft[],
  optional: readonly PackageDraft[],
): void {
  connect(draft, [...new Set([...always, ...optional].map(({ id }) => id))]);
}

/** The ids in lists with edges of several entries. Without it, repeated entries of a package take quadratic time. */
const JOINED = new WeakMap<readonly string[], Set<string>>();

/** `name@version`, followed by the source unless that is a registry. */
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
