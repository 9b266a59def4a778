import type { CodedError } from '../errors.ts';
import type { BaseImage, ScannedImage } from '../image/image.ts';
import type { DependencyGraph } from '../lockfile/dependency-graph.ts';
import type { System, VersionKey } from '../lockfile/ecosystem.ts';
import type { LockedPackage } from '../lockfile/lockfile.ts';
import type { DataLoss } from '../losses/evidence.ts';
import type { Group } from '../losses/statements.ts';
import type { Advisory, PublishedVersions, Resolution } from '../scan/inventory.ts';
import type { Scorecard } from '../signal/inspection.ts';
import type {
  Capability,
  DeclaredRequirement,
  Release,
  ReleaseDetail,
  Requirement,
  ServiceFinding,
} from '../signal/release-facts.ts';

/** The source of answers. `cache`: the cache, then the service. `facts`: what the fleet knows already, without any request. */
export type AnswerSource = 'cache' | 'facts';

export interface ResolveOptions {
  readonly signal: AbortSignal;
  /** Default: `cache`. */
  readonly from?: AnswerSource | undefined;
  /** Called with the number of packages that have an outcome. */
  readonly progress?: (done: number, total: number) => void;
}

export interface Resolved {
  /** One for each package, in order; packages that could not be looked up are `failed`. */
  readonly resolutions: readonly Resolution[];
  /** Whether a failed look-up may succeed later. */
  readonly retryable: boolean;
  /** The longest wait that the service requested. */
  readonly retryAfterMs?: number | undefined;
  /** Why imported advisories may be older than those that are there; absent when they are not. */
  readonly outdated?: string | undefined;
}

/** The package-insights API as the jobs use it: cached, with one request for concurrent callers. */
export interface Insights {
  /** One resolution for each package, in order. Rejects when aborted, and when the seen versions cannot be read. */
  resolve(packages: readonly LockedPackage[], options: ResolveOptions): Promise<Resolved>;
  /**
   * Says for each identity whether the package needs no judgement: nothing that the fleet knows of the version makes a finding or a gap,
   * whatever the target, unless a policy has rules for licences or the version was inspected. `packageOf`: the package of an identity.
   * Absent: all packages have to be judged.
   */
  isPlain?(
    identities: readonly string[],
    packageOf: (identity: string) => LockedPackage,
  ): Promise<readonly boolean[]>;
  /** `undefined` when the index has no advisory of that id. Throws `InsightsError`. */
  advisory(id: string, signal: AbortSignal): Promise<Advisory | undefined>;
  /** Which of these advisories can be read without a request: their records are cached and fresh. */
  cachedAdvisories(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** `undefined` when there is no graph: not computed, or a system without graphs. Throws `InsightsError`. */
  dependencies(key: VersionKey, signal: AbortSignal): Promise<DependencyGraph | undefined>;
  /**
   * The requirements that a version of Cargo, Go, npm or PyPI declares for its installation; `undefined` when that is not known: another
   * system, a version that the index does not have, or a service without such requirements. Throws `InsightsError`.
   */
  requirements(key: VersionKey, signal: AbortSignal): Promise<readonly DeclaredRequirement[] | undefined>;
  /** Look-ups for the inspection of new releases. */
  readonly releases: Releases;
  /**
   * Finds the public image that has the most layers of an image, or returns `undefined`. Only chain identifiers are sent. `former`: the base
   * that was found before; when the index lost it, this is an error. Throws `InsightsError`.
   */
  baseImage(
    layers: ScannedImage['layers'],
    signal: AbortSignal,
    former?: BaseImage,
  ): Promise<BaseImage | undefined>;
  /** The lowest version in which imported advisories say that all is fixed which they say of a version. Absent where none are imported. */
  fixedIn?(key: VersionKey): Promise<string | undefined>;
  /** The published versions of a package, unordered. `undefined` when the index does not have the package. Throws `InsightsError`. */
  publishedVersions(
    name: Pick<VersionKey, 'system' | 'name'>,
    signal: AbortSignal,
  ): Promise<PublishedVersions | undefined>;
  /**
   * Looks package versions up anew, unless the service answered since a time, and adds the answers to the facts of the fleet. What
   * they no longer state is doubted until `settleLosses` decides. Rejects when aborted.
   */
  refreshVersions(packages: readonly LockedPackage[], options: RefreshOptions): Promise<Refreshed>;
  /** Looks up advisories by id, as `refreshVersions` does for versions. */
  refreshAdvisories(ids: readonly string[], options: RefreshOptions): Promise<Refreshed>;
  /**
   * Decides about what the answers of a refresh no longer state. Proven corrections are added to the facts of the fleet; the rest stays
   * doubted and is returned. Asks for well-known versions where the fleet itself proves nothing.
   */
  settleLosses(losses: Losses, options: { readonly signal: AbortSignal }): Promise<DataLoss | undefined>;
}

/** Statements that the answers of a refresh no longer make, and those that they still make. */
export interface Losses {
  /** Keys of versions and advisories with doubts. */
  readonly versions: readonly string[];
  readonly advisories: readonly string[];
  /** Numbers of records that still state what they stated, by group. */
  readonly kept: Readonly<Record<Group, number>>;
  /** An earlier loss, which is believed when a person accepted it and not more is lost now. */
  readonly before?: DataLoss | undefined;
}

/** A version in the list of its package. */
export type PublishedVersion = PublishedVersions['versions'][number];

export interface RefreshOptions {
  readonly signal: AbortSignal;
  /** ms since 1970. */
  readonly since: number;
}

/** The result of looking up one part of a refresh. */
export interface Refreshed {
  /** Including those that were answered before. */
  readonly answered: number;
  /** Number of answered ones that the service does not have and that were never known. */
  readonly unknown: number;
  /** Answers that differ from what was known. */
  readonly changed: number;
  readonly failed: number;
  /** Number of failed ones that are not known to be malformed: the service gave no answer about them. */
  readonly unanswered: number;
  /** Why the first one failed. */
  readonly reason?: string;
  /** The longest wait that the service requested. */
  readonly retryAfterMs?: number | undefined;
  /** Keys of answers that no longer state what was known. `settleLosses` decides about them. */
  readonly lost: readonly string[];
  /** Numbers of records that still state what they stated, by group. */
  readonly kept: Readonly<Record<Group, number>>;
}

/**
 * Look-ups of releases in the package-insights API, for the inspection of new ones. No answer is cached: the inspection is stored.
 * `undefined`: the index does not have it, or has no such facts of the system. All throw coded errors (`InsightsError`).
 */
export interface Releases {
  /** All versions of a package. */
  list(
    name: Pick<VersionKey, 'system' | 'name'>,
    signal: AbortSignal,
  ): Promise<readonly Release[] | undefined>;
  /** In batches; one entry for each key, in order. */
  details(
    keys: readonly VersionKey[],
    signal: AbortSignal,
  ): Promise<readonly (ReleaseDetail | { readonly error: Error } | undefined)[]>;
  /**
   * The findings of the service itself about versions, in batches; one entry for each key, in order. `undefined` also
   * for a service that does not have it.
   */
  findings(
    keys: readonly VersionKey[],
    signal: AbortSignal,
  ): Promise<readonly (readonly ServiceFinding[] | { readonly error: Error } | undefined)[]>;
  /** Requirements of a version when it is installed: those that it states, or else the direct nodes of its resolved graph. */
  requirements(key: VersionKey, signal: AbortSignal): Promise<readonly Requirement[] | undefined>;
  /** The direct nodes of the resolved graph. */
  graph(key: VersionKey, signal: AbortSignal): Promise<readonly Requirement[] | undefined>;
  /** The scorecards of projects, in batches; one entry for each id, in order. */
  scorecards(
    projects: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly (Scorecard | { readonly error: CodedError } | undefined)[]>;
  /** The versions of all packages whose source is a project, at most 1,500. */
  versionsOfProject(project: string, signal: AbortSignal): Promise<readonly VersionKey[] | undefined>;
  /** The versions whose artifacts have a digest: `sha512-<Base64>`. */
  versionsWith(
    digest: string,
    system: System,
    signal: AbortSignal,
  ): Promise<readonly VersionKey[] | undefined>;
  capabilities(key: VersionKey, signal: AbortSignal): Promise<readonly Capability[] | undefined>;
  /** Names of similarly named packages of the same system. */
  similar(
    name: Pick<VersionKey, 'system' | 'name'>,
    signal: AbortSignal,
  ): Promise<readonly string[] | undefined>;
  dependents(key: VersionKey, signal: AbortSignal): Promise<number | undefined>;
}
