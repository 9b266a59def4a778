import type { Scorecard } from '../signal/project-score.ts';

/** A version of a package that the fleet holds or held. */
export interface FollowedVersion {
  readonly ecosystem: string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  /** RFC 3339; absent where it is not known. */
  readonly publishedAt?: string;
  /** When a target locked it for the first time, RFC 3339. Absent for versions from before this was recorded. */
  readonly firstSeenAt?: string;
  /** Targets that hold it now. */
  readonly targets: number;
  /** What an inspection found, the strongest reason first. */
  readonly signals: readonly string[];
  /** Sum of the points of these. */
  readonly score: number;
}

/** A target that holds a package, with its versions. */
export interface FollowingTarget {
  readonly target: string;
  readonly purls: readonly string[];
}

/** A source project of a package, with what its scorecard says. */
export interface FollowedProject {
  /** `github.com/owner/repository`. */
  readonly id: string;
  /** When its scorecard was looked up last, RFC 3339. */
  readonly checkedAt: string;
  /** Absent for a project without one. */
  readonly scorecard?: Scorecard;
  /** What fell, where it did. */
  readonly fell?: string;
}

/** A package in the fleet. */
export interface FollowedPackage {
  /** The version that was seen last first. */
  readonly versions: readonly FollowedVersion[];
  /** By name. */
  readonly targets: readonly FollowingTarget[];
  /** The source projects of the versions that were inspected, by id. */
  readonly projects: readonly FollowedProject[];
  /** Names that contain the one that was asked for, when nothing was found. */
  readonly similar: readonly string[];
}

/** A target that locked other versions of a package than before. */
export interface PackageMove {
  readonly target: string;
  readonly took: readonly string[];
  readonly left: readonly string[];
}
