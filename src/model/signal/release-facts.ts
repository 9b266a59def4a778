import type { VersionKey } from '../lockfile/ecosystem.ts';
import type { ProjectScore } from './inspection.ts';

/** A version in the list of its package. Times in ms since 1970; absent when the registry does not report them. */
export interface Release {
  readonly version: string;
  readonly publishedAt?: number | undefined;
  readonly isDefault: boolean;
  readonly isDeprecated: boolean;
}

/** An attestation or SLSA provenance. `sourceRepository` as it was stated. */
export interface Provenance {
  readonly verified: boolean;
  readonly sourceRepository: string;
}

/** Facts of one version in the index, beyond the list of its package. */
export interface ReleaseDetail {
  /** ms since 1970. */
  readonly publishedAt?: number | undefined;
  readonly provenances: readonly Provenance[];
  /** Ids of the projects that are its source (`SOURCE_REPO`), in lower case. */
  readonly projects: readonly string[];
  readonly advisoryIds: readonly string[];
  /** Until when the index advises to wait, ms since 1970. */
  readonly cooldownEnd?: number | undefined;
}

/** A package that a version requires when it is installed. */
export interface Requirement {
  readonly name: string;
  /** As the version states it: a range, or the address of something that is no registry version. */
  readonly requirement: string;
}

/** A requirement as its version declares it. */
export interface DeclaredRequirement extends Requirement {
  /** Whether it may not apply: an optional crate, or an environment marker. */
  readonly isConditional: boolean;
  /** Whether it is one of npm's `peerDependencies`. */
  readonly isPeer?: boolean;
}

/** A package that a version requires for the first time. */
export interface NewRequirement extends Requirement {
  /** All its versions; `undefined` when the index does not have the package, absent when it was not looked up. */
  readonly releases?: readonly Release[] | undefined;
}

/** A capability of a Go module, as capability analysis names it. */
export interface Capability {
  readonly name: string;
  /** Calls by the module itself, and by modules that it calls. */
  readonly direct: number;
  readonly indirect: number;
}

/** A finding of the index itself about a version, in its words. */
export interface ServiceFinding {
  /** `MALICIOUS`, `LOW_USAGE`, …, or a newer one. */
  readonly type: string;
  /** `RISK_CRITICAL`, …; empty where it states none. */
  readonly risk: string;
  /** The similar names that are used more, of `LOW_USAGE`. */
  readonly alternatives?: readonly string[];
}

export interface SimilarPackage {
  readonly name: string;
  /** How many packages depend on its default version; absent where the index does not count them. */
  readonly dependents?: number | undefined;
  /** How much it is used could not be had. */
  readonly isUnknown?: true;
}

/** A version of another package of the same source project. */
export interface SiblingRelease {
  readonly name: string;
  readonly version: string;
  /** ms since 1970. */
  readonly publishedAt: number;
}

/** A source project with its scorecards. */
export interface SourceProject extends Pick<ProjectScore, 'reference' | 'now'> {
  readonly id: string;
}

/** A digest that a lockfile states, and the versions whose artifacts have it. */
export interface StatedDigest {
  /** `sha512-<Base64>`. */
  readonly digest: string;
  /** `undefined` when the index knows no artifact with it. */
  readonly versions: readonly VersionKey[] | undefined;
}

/**
 * Everything that is known of a locked version when it is inspected. A fact that could not be had is absent, and signals that need it
 * are not raised.
 */
export interface ReleaseFacts {
  readonly key: VersionKey;
  /** When it was inspected, ms since 1970. */
  readonly at: number;
  /** Whether a target added it as a direct dependency that it did not have before. */
  readonly isNewDirect?: boolean;
  /** Whether it runs a script at installation and versions that were seen before do not; absent when no lockfile states it. */
  readonly hasNewScript?: boolean;
  /** All versions of the package, the locked one included. */
  readonly releases: readonly Release[];
  /** Details of the locked version and of those before it in its line, by version. */
  readonly details?: ReadonlyMap<string, ReleaseDetail>;
  /** Requirements that the version before it did not have. */
  readonly newRequirements?: readonly NewRequirement[];
  /** The version that `newRequirements` and `capabilitiesBefore` are compared with. */
  readonly comparedWith?: string;
  /** The target whose lockfile states the digests. */
  readonly target?: string;
  readonly digests?: readonly StatedDigest[];
  /** Whether the index knows the digests of other packages of the same lockfile and system. */
  readonly knowsDigests?: boolean;
  readonly capabilities?: readonly Capability[];
  readonly capabilitiesBefore?: readonly Capability[];
  readonly similar?: readonly SimilarPackage[];
  /** The findings of the service. They are absent when they are not known, or the service has none. */
  readonly serviceFindings?: readonly ServiceFinding[];
  /** How many packages depend on the locked version. */
  readonly dependents?: number;
  /** Requirements of the locked version, as they were when it was inspected before and as they are now. */
  readonly requirementsBefore?: string;
  readonly requirements?: string;
  /** Packages that the version requires by its statement and by its resolved graph, and that the lockfile does not have as its edges. */
  readonly unlocked?: readonly string[];
  readonly projects?: readonly SourceProject[];
  /** Versions of other packages of its source project, in no order; absent where they were not looked up. */
  readonly siblings?: readonly SiblingRelease[];
}
