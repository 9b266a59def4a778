import satisfies from 'semver/functions/satisfies.js';
import { formatVersionKey, type System, type VersionKey } from '../../model/lockfile/ecosystem.ts';
import type { AdvisoryFact, IndexedPackage, IndexedVersion } from './data-set.ts';
import type { Graph } from './graph.ts';
import { canonicalVersion, packageId } from './names.ts';

/** The packages of a data set by system and name, which is in canonical form. */
export class PackageIndex {
  readonly #packages = new Map<string, IndexedPackage>();
  readonly #versions = new WeakMap<IndexedPackage, ReadonlyMap<string, IndexedVersion | undefined>>();

  constructor(packages: readonly IndexedPackage[]) {
    for (const one of packages) this.put(one);
  }

  find(system: System, name: string): IndexedPackage | undefined {
    return this.#packages.get(packageId(system, name));
  }

  /** Adds a package, or replaces it. */
  put(one: IndexedPackage): void {
    this.#packages.set(packageId(one.system, one.name), one);
  }

  /** The versions of a package in canonical form; `undefined` for one that the data says does not exist. */
  versionsOf(one: IndexedPackage): ReadonlyMap<string, IndexedVersion | undefined> {
    const known = this.#versions.get(one);
    if (known !== undefined) return known;
    const { system, absent = [], versions } = one;
    const byVersion = new Map([
      ...absent.map((version) => [canonicalVersion(system, version), undefined] as const),
      ...versions.map((indexed) => [canonicalVersion(system, indexed.version), indexed] as const),
    ]);
    this.#versions.set(one, byVersion);
    return byVersion;
  }

  all(): Iterable<IndexedPackage> {
    return this.#packages.values();
  }
}

/** Returns the packages that depend on each version, by its key; computed from resolved graphs as the service does. */
export function dependentsIn(graphs: Iterable<Graph>): ReadonlyMap<string, Dependents> {
  const found = new Map<string, Dependents>();
  for (const { nodes } of graphs) {
    const dependent = nodes[0]?.versionKey.name ?? '';
    for (const { versionKey, relation } of nodes) {
      if (relation === 'SELF') continue;
      const id = formatVersionKey(versionKey);
      const names = found.get(id) ?? { direct: new Set(), indirect: new Set() };
      found.set(id, names);
      names[relation === 'DIRECT' ? 'direct' : 'indirect'].add(dependent);
    }
  }
  return found;
}

type Dependents = Readonly<Record<'direct' | 'indirect', Set<string>>>;

/** Advisories of the local package-insights service, by their id and by the packages that they affect. */
export class AdvisoryIndex {
  readonly #byId = new Map<string, AdvisoryFact>();
  readonly #byPackage = new Map<string, AdvisoryFact[]>();

  constructor(advisories: readonly AdvisoryFact[]) {
    for (const advisory of advisories) this.add(advisory);
  }

  get(id: string): AdvisoryFact | undefined {
    return this.#byId.get(id);
  }

  /** The id must not be known. Ranges are compared on request, because parsing all of them takes longer than most requests. */
  add(advisory: AdvisoryFact): void {
    this.#byId.set(advisory.id, advisory);
    for (const id of packageIds(advisory)) {
      const known = this.#byPackage.get(id);
      if (known === undefined) this.#byPackage.set(id, [advisory]);
      else known.push(advisory);
    }
  }

  /** Returns the advisory that was removed; `undefined` when the id is not known. */
  remove(id: string): AdvisoryFact | undefined {
    const known = this.#byId.get(id);
    if (known === undefined) return undefined;
    this.#byId.delete(id);
    for (const name of packageIds(known)) {
      const others = this.#byPackage.get(name)?.filter((one) => one !== known) ?? [];
      this.#byPackage.set(name, others);
    }
    return known;
  }

  /** Ids of the advisories that affect a version, whose key is in canonical form. */
  idsOf(key: VersionKey): readonly string[] {
    const about = this.#byPackage.get(packageId(key.system, key.name)) ?? [];
    return about.filter((advisory) => affects(advisory, key)).map(({ id }) => id);
  }
}

function packageIds({ affected }: AdvisoryFact): ReadonlySet<string> {
  return new Set(affected.map(({ system, name }) => packageId(system, name)));
}

/** Whether an advisory affects a version. An empty range matches no version, although semver reads it as `*`. */
export function affects({ affected }: AdvisoryFact, { system, name, version }: VersionKey): boolean {
  return affected.some(
    (one) => one.system === system && one.name === name && isWithin(system, version, one.range),
  );
}

function isWithin(system: System, version: string, range: string): boolean {
  if (range.trim() === '') return false;
  if (system !== 'NPM' && system !== 'CARGO') return version === range;
  return satisfies(version, range, { includePrerelease: true });
}
