import type { CodedError } from '../errors.ts';
import type { System, VersionKey } from '../lockfile/version-key.ts';
import type { Scorecard } from '../signal/project-score.ts';
import type { Capability, Release, ReleaseDetail, Requirement } from '../signal/release-facts.ts';

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
