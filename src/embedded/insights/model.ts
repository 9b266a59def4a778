import { UNCOVERED } from '../../model/api/extensions.ts';
import { canonicalName, type System, type VersionKey } from '../../model/lockfile/ecosystem.ts';
import type {
  AdvisoryFact,
  ImageFact,
  IndexedPackage,
  IndexedVersion,
  InsightsData,
  ProjectFact,
  RelatedProject,
} from './data-set.ts';
import { type FindingsSubject, findingsObject } from './findings.ts';
import { type Graph, resolveGraph } from './graph.ts';
import { AdvisoryIndex, affects, DependentCounts, PackageIndex } from './indexes.ts';
import { canonicalKey, purlOf } from './names.ts';
import { advisoryObject, packageVersionObject, projectsOf, versionObject } from './version-object.ts';

/** A version with the package it belongs to. */
interface Entry {
  readonly package: IndexedPackage;
  readonly indexed: IndexedVersion;
}

/** A version of a project, and how the two are related. */
export interface ProjectVersion {
  readonly key: VersionKey;
  readonly indexed: IndexedVersion;
  readonly related: RelatedProject;
}

/** The index of the local package-insights service. Answers are JSON text. */
export class InsightsModel {
  readonly #packages: PackageIndex;
  /** Whether packages and versions exist that are not in the data. */
  readonly #isPartial: boolean;
  readonly #advisories: AdvisoryIndex;
  readonly #projects: Map<string, ProjectFact>;
  readonly #images: ReadonlyMap<string, ImageFact>;
  #dependents: DependentCounts | undefined;
  #byDigest: ReadonlyMap<string, readonly { readonly key: VersionKey }[]> | undefined;

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

  /** A Version object as JSON. */
  version(key: VersionKey): string | undefined {
    const entry = this.#entry(canonicalKey(key));
    if (entry === undefined) return undefined;
    const { system, name } = entry.package;
    const advisoryIds = this.#advisories.idsOf({ system, name, version: entry.indexed.version });
    return JSON.stringify(versionObject(entry.package, entry.indexed, advisoryIds));
  }

  /** A Package object as JSON. */
  package(system: System, name: string): string | undefined {
    const found = this.find(system, name);
    if (found === undefined) return undefined;
    return JSON.stringify({
      packageKey: { system, name: found.name },
      purl: purlOf({ system, name: found.name }),
      versions: found.versions.map((indexed) => packageVersionObject(found, indexed)),
      ...(this.#isPartial ? { [UNCOVERED]: true } : {}),
    });
  }

  find(system: System, name: string): IndexedPackage | undefined {
    return this.#packages.find(system, canonicalName(name, system));
  }

  /** Whether the data says of a version that it exists, or that it does not. */
  covers(key: VersionKey): boolean {
    if (!this.#isPartial) return true;
    const { system, name, version } = canonicalKey(key);
    const found = this.#packages.find(system, name);
    return found !== undefined && this.#packages.versionsOf(found).has(version);
  }

  /** A Findings object as JSON. */
  findings(subject: FindingsSubject): string {
    const { system, name, version } = subject;
    const found = this.find(system, name);
    const facts = {
      subject,
      package: found,
      indexedOf: (own: string) => found && this.#packages.versionsOf(found).get(own),
      isCovered:
        version === undefined
          ? !this.#isPartial || found !== undefined
          : this.covers({ ...subject, version }),
      advisoriesOf: (own: string) =>
        this.#advisories
          .idsOf({ system, name: found?.name ?? name, version: own })
          .flatMap((id) => this.#advisories.get(id) ?? []),
      now: Date.now(),
    };
    return JSON.stringify(findingsObject(facts));
  }

  indexedVersion(key: VersionKey): IndexedVersion | undefined {
    return this.#entry(canonicalKey(key))?.indexed;
  }

  /** An Advisory object as JSON. */
  advisory(id: string): string | undefined {
    const found = this.#advisories.get(id);
    return found && advisoryObject(found);
  }

  /** A Dependencies object as JSON; `undefined` also for a version without a computed graph. */
  dependencies(key: VersionKey): string | undefined {
    const entry = this.#entry(canonicalKey(key));
    if (entry?.indexed.graph !== undefined) return JSON.stringify(entry.indexed.graph);
    if (entry?.indexed.dependencies === undefined) return undefined;
    return JSON.stringify(resolveGraph(entry, (name) => this.find(key.system, name)));
  }

  /** A Dependents object as JSON; `undefined` for a version without a computed graph. */
  dependents(key: VersionKey): string | undefined {
    const canonical = canonicalKey(key);
    if (this.#entry(canonical)?.indexed.dependencies === undefined) return undefined;
    this.#dependents ??= new DependentCounts(this.#graphs());
    return JSON.stringify(this.#dependents.of(canonical));
  }

  *#graphs(): Generator<Graph> {
    for (const entry of this.#allEntries()) {
      const { system } = entry.package;
      if (entry.indexed.dependencies !== undefined)
        yield resolveGraph(entry, (name) => this.find(system, name));
    }
  }

  /** A Capabilities object as JSON; `undefined` for a version that was not analysed. */
  capabilities(key: VersionKey): string | undefined {
    const capabilities = this.indexedVersion(key)?.capabilities;
    return capabilities === undefined ? undefined : JSON.stringify({ capabilities });
  }

  /** A Project object as JSON: facts from its host, or only the key of a project that only links name. */
  project(given: string): string | undefined {
    const id = given.toLowerCase();
    const fact = this.#projects.get(id);
    if (fact === undefined && this.versionsOfProject(id).length === 0) return undefined;
    const { id: _id, ...known } = fact ?? {};
    return JSON.stringify({ projectKey: { id }, license: '', description: '', homepage: '', ...known });
  }

  /** A ContainerImages object as JSON. */
  images(chainId: string): string | undefined {
    const found = this.#images.get(chainId)?.repositories.slice(0, 1_000);
    return found && JSON.stringify({ results: found.map((repository) => ({ repository })) });
  }

  /** Versions whose artifact has this digest. `type` is for example `SHA256`, `digest` the base64 of the raw digest. */
  versionsByHash(type: string, digest: string): readonly VersionKey[] {
    this.#byDigest ??= Map.groupBy(
      this.#allEntries().flatMap((entry) =>
        (entry.indexed.integrity?.split(/\s+/) ?? []).map((digest) => ({ digest, key: keyOf(entry) })),
      ),
      (one) => one.digest,
    );
    return (this.#byDigest.get(`${type.toLowerCase()}-${digest}`) ?? []).map(({ key }) => key);
  }

  /** Versions of the project, those with a verified relation first. */
  versionsOfProject(project: string): readonly ProjectVersion[] {
    const found = this.#allEntries().flatMap((entry) =>
      projectsOf(entry.indexed)
        .filter(({ id }) => id === project.toLowerCase())
        .map((related) => ({ key: keyOf(entry), indexed: entry.indexed, related })),
    );
    const { true: metadata = [], false: better = [] } = Object.groupBy(found, ({ related }) =>
      related.relationProvenance === 'UNVERIFIED_METADATA' ? 'true' : 'false',
    );
    return [...better, ...metadata];
  }
}

function keyOf({ package: { system, name }, indexed: { version } }: Entry): VersionKey {
  return { system, name, version };
}
