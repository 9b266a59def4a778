import { UNCOVERED } from '../../model/api/extensions.ts';
import type { System, VersionKey } from '../../model/lockfile/ecosystem.ts';
import { canonicalName, formatVersionKey } from '../../model/lockfile/ecosystem.ts';
import type {
  AdvisoryFact,
  ImageFact,
  IndexedPackage,
  IndexedVersion,
  InsightsData,
  ProjectFact,
} from './data-set.ts';
import { type FindingsSubject, findingsObject } from './findings.ts';
import { resolveGraph } from './graph.ts';
import { AdvisoryIndex, affects, dependentsIn, PackageIndex } from './indexes.ts';
import { canonicalKey, purlOf } from './names.ts';
import { advisoryObject, packageVersionObject, projectsOf, versionObject } from './version-object.ts';

/** A version with the package it belongs to. */
interface Entry {
  readonly package: IndexedPackage;
  readonly indexed: IndexedVersion;
}

/** The index of the local package-insights service. */
export class InsightsModel {
  readonly #packages: PackageIndex;
  /** Whether packages and versions exist that are not in the data. */
  readonly #isPartial: boolean;
  readonly #advisories: AdvisoryIndex;
  readonly #projects: Map<string, ProjectFact>;
  readonly #images: ReadonlyMap<string, ImageFact>;
  #dependents: ReturnType<typeof dependentsIn> | undefined;
  #byDigest: ReadonlyMap<string, readonly { readonly key: VersionKey }[]> | undefined;
  #byProject: ReadonlyMap<string, readonly ProjectVersion[]> | undefined;

  constructor(data: InsightsData) {
    this.#projects = new Map((data.projects ?? []).map((project) => [project.id, project]));
    this.#images = new Map((data.images ?? []).map((image) => [image.chainId, image]));
    this.#packages = new PackageIndex(data.packages);
    this.#isPartial = data.partial ?? false;
    this.#advisories = new AdvisoryIndex(data.advisories.filter(({ heldBack }) => !heldBack));
  }

  /** Adds an advisory, or replaces that of the same id; returns the versions that it affects. */
  learnAdvisory(advisory: AdvisoryFact): readonly VersionKey[] {
    this.withdrawAdvisory(advisory.id);
    this.#advisories.add(advisory);
    return this.#affectedBy(advisory);
  }

  /** Removes an advisory; returns the versions that it affected. */
  withdrawAdvisory(id: string): readonly VersionKey[] {
    const known = this.#advisories.remove(id);
    return known === undefined ? [] : this.#affectedBy(known);
  }

  /** Adds a package with its versions, or replaces it: versions that it no longer has are `absent` from then on. */
  putPackage(indexedPackage: IndexedPackage): void {
    const { system, name } = indexedPackage;
    const before = this.#packages.find(system, name);
    const absent = new Set([...(before?.absent ?? []), ...(indexedPackage.absent ?? [])]);
    for (const { version } of before?.versions ?? []) absent.add(version);
    for (const { version } of indexedPackage.versions) absent.delete(version);
    this.#packages.put({ ...indexedPackage, absent: [...absent] });
    this.#dependents = undefined;
    this.#byDigest = undefined;
    this.#byProject = undefined;
  }

  /** Adds what the host of a project says of it, or replaces it. */
  putProject(project: ProjectFact): void {
    this.#projects.set(project.id, project);
  }

  #affectedBy(advisory: AdvisoryFact): readonly VersionKey[] {
    return advisory.affected.flatMap(({ system, name }) =>
      (this.#packages.find(system, name)?.versions ?? [])
        .map(({ version }) => ({ system, name, version }))
        .filter((key) => affects(advisory, key)),
    );
  }

  /** `key`: in canonical form. */
  #entry({ system, name, version }: VersionKey): Entry | undefined {
    const found = this.#packages.find(system, name);
    const indexed = found && this.#packages.versionsOf(found).get(version);
    return found && indexed && { package: found, indexed };
  }

  #allEntries(): readonly Entry[] {
    return [...this.#packages.all()].flatMap((one) =>
      one.versions.map((indexed) => ({ package: one, indexed })),
    );
  }

  version(key: VersionKey): object | undefined {
    const entry = this.#entry(canonicalKey(key));
    if (entry === undefined) return undefined;
    const { system, name } = entry.package;
    const advisoryIds = this.#advisories.idsOf({ system, name, version: entry.indexed.version });
    return versionObject(entry.package, entry.indexed, advisoryIds);
  }

  package({ system, name }: Pick<VersionKey, 'system' | 'name'>): object | undefined {
    const found = this.find(system, name);
    return (
      found && {
        packageKey: { system, name: found.name },
        purl: purlOf({ system, name: found.name }),
        versions: found.versions.map((indexed) => packageVersionObject(found, indexed)),
        ...(this.#isPartial ? { [UNCOVERED]: true } : {}),
      }
    );
  }

  /** Returns a SimilarlyNamedPackages object. */
  similar({ system, name }: Pick<VersionKey, 'system' | 'name'>): object | undefined {
    const found = this.find(system, name);
    const packages = found?.similar?.map((one) => ({ packageKey: { system, name: one } })) ?? [];
    return found && { packageKey: { system, name: found.name }, packages };
  }

  find(system: System, name: string): IndexedPackage | undefined {
    return this.#packages.find(system, canonicalName(name, system));
  }

  versionsOf({ system, name }: Pick<VersionKey, 'system' | 'name'>): readonly VersionKey[] {
    const found = this.find(system, name);
    return (found?.versions ?? []).map(({ version }) => ({ system, name: found?.name ?? name, version }));
  }

  /** Whether the data says of a version that it exists, or that it does not. */
  covers(key: VersionKey): boolean {
    if (!this.#isPartial) return true;
    const { system, name, version } = canonicalKey(key);
    const found = this.#packages.find(system, name);
    return found !== undefined && this.#packages.versionsOf(found).has(version);
  }

  findings(subject: FindingsSubject): object {
    const { system, name, version } = subject;
    const found = this.find(system, name);
    const isKnown = !this.#isPartial || found !== undefined;
    return findingsObject({
      subject,
      package: found,
      indexedOf: (own) => found && this.#packages.versionsOf(found).get(own),
      isCovered: version === undefined ? isKnown : this.covers({ ...subject, version }),
      advisoriesOf: (own) =>
        this.#advisories
          .idsOf({ system, name: found?.name ?? name, version: own })
          .flatMap((id) => this.#advisories.get(id) ?? []),
      now: Date.now(),
    });
  }

  indexedVersion(key: VersionKey): IndexedVersion | undefined {
    return this.#entry(canonicalKey(key))?.indexed;
  }

  advisory(id: string): object | undefined {
    const found = this.#advisories.get(id);
    return found && advisoryObject(found);
  }

  /** Returns a Dependencies object; `undefined` also for a version without a computed graph. */
  dependencies(key: VersionKey): object | undefined {
    const entry = this.#entry(canonicalKey(key));
    return entry?.indexed.graph ?? (entry && this.#graphOf(entry));
  }

  /**
   * Returns a Dependents object; `undefined` for a version without a computed graph. A package with direct and indirect
   * dependencies counts once in the sum.
   */
  dependents(key: VersionKey): object | undefined {
    const canonical = canonicalKey(key);
    if (this.#entry(canonical)?.indexed.dependencies === undefined) return undefined;
    this.#dependents ??= dependentsIn(this.#allEntries().flatMap((entry) => this.#graphOf(entry) ?? []));
    const { direct, indirect } = this.#dependents.get(formatVersionKey(canonical)) ?? {};
    return {
      dependentCount: new Set([...(direct ?? []), ...(indirect ?? [])]).size,
      directDependentCount: direct?.size ?? 0,
      indirectDependentCount: indirect?.size ?? 0,
    };
  }

  #graphOf(entry: Entry) {
    if (entry.indexed.dependencies === undefined) return undefined;
    return resolveGraph(entry, (name) => this.find(entry.package.system, name));
  }

  /** Returns a Capabilities object; `undefined` for a version that was not analysed. */
  capabilities(key: VersionKey): object | undefined {
    const capabilities = this.indexedVersion(key)?.capabilities;
    return capabilities && { capabilities };
  }

  /** Returns a Project object: facts from its host, or only the key of a project that only links name. */
  project(given: string): object | undefined {
    const id = given.toLowerCase();
    const fact = this.#projects.get(id);
    if (fact === undefined && this.#versionsOf(id).length === 0) return undefined;
    const { id: _id, ...known } = fact ?? {};
    return { projectKey: { id }, license: '', description: '', homepage: '', ...known };
  }

  /** Returns a ContainerImages object. */
  images(chainId: string): object | undefined {
    const found = this.#images.get(chainId)?.repositories.slice(0, 1_000);
    return found && { results: found.map((repository) => ({ repository })) };
  }

  /** Returns the versions whose artifact has this digest. `type` is for example `SHA256`, `digest` the base64 of the raw digest. */
  versionsByHash(type: string, digest: string): readonly VersionKey[] {
    this.#byDigest ??= Map.groupBy(
      this.#allEntries().flatMap((entry) =>
        (entry.indexed.integrity?.split(/\s+/) ?? []).map((digest) => ({ digest, key: keyOf(entry) })),
      ),
      (one) => one.digest,
    );
    return (this.#byDigest.get(`${type.toLowerCase()}-${digest}`) ?? []).map(({ key }) => key);
  }

  /** Returns the versions of a project, at most 1,500, those with a verified relation first. */
  projectVersions(project: string): object | undefined {
    const found = this.#versionsOf(project.toLowerCase()).map(({ version }) => version);
    if (found.length === 0 && this.project(project) === undefined) return undefined;
    const { true: metadata = [], false: better = [] } = Object.groupBy(found, ({ relationProvenance }) =>
      relationProvenance === 'UNVERIFIED_METADATA' ? 'true' : 'false',
    );
    return { versions: [...better, ...metadata].slice(0, 1_500) };
  }

  #versionsOf(project: string): readonly ProjectVersion[] {
    this.#byProject ??= Map.groupBy(this.#allEntries().flatMap(projectVersionsOf), ({ id }) => id);
    return this.#byProject.get(project) ?? [];
  }
}

type ProjectVersion = ReturnType<typeof projectVersionsOf>[number];

function projectVersionsOf(entry: Entry) {
  const { slsaProvenances = [], attestations = [] } = entry.indexed;
  const more = { versionKey: keyOf(entry), slsaProvenances, attestations };
  return projectsOf(entry.indexed).map(({ id, relationType, relationProvenance }) => ({
    id,
    version: { ...more, relationType, relationProvenance },
  }));
}

function keyOf({ package: { system, name }, indexed: { version } }: Entry): VersionKey {
  return { system, name, version };
}
