import type { Finding, RatedSeverity, Severity } from './finding.ts';
import type { ScanBasis } from './scan-basis.ts';

/** Transitions of a finding between two scans (promise 2). */
export type Transition = 'opened' | 'worsened' | 'reopened' | 'resolved';

/** In the order in which they are listed. */
export const TRANSITIONS: readonly Transition[] = ['opened', 'worsened', 'reopened', 'resolved'];

/** Numbers of changes by transition. */
export type TransitionCounts = Readonly<Record<Transition, number>>;

/**
 * How a finding of a target's first scan was announced: `summary` (with the others, in one alert) or `none` (not at
 * all). Absent for a finding that is reported individually.
 */
export type Announcement = 'summary' | 'none';

export interface Change {
  readonly transition: Transition;
  readonly finding: Finding;
  /** For `worsened` the severity before; for `resolved` its worst severity, when that is worse than the last one. */
  readonly previousSeverity?: Severity;
  /** For `opened` and `resolved`: the finding is not reported individually. */
  readonly announced?: Announcement;
}

/** A finding as it is stored between scans. */
export interface TrackedFinding {
  readonly finding: Finding;
  readonly status: 'open' | 'resolved';
  /** RFC 3339 times of the scans that saw the transitions. */
  readonly openedAt: string;
  readonly changedAt: string;
  /** The worst severity since it opened, when the current one is lower. */
  readonly worst?: RatedSeverity;
  /** Removed when it worsens or reopens: it is then reported individually. */
  readonly announced?: Announcement;
}

/** The stored state of a target after its last judged scan. */
export interface TargetState {
  /** Incremented by each judged scan; a write names the revision that it replaces. */
  readonly revision: number;
  readonly scan: string;
  /** When the newest judged scan was requested. For each lockfile, an older scan never replaces a newer one. */
  readonly requestedAt: string;
  /** Present where scans named only some of the lockfiles since the last one that named all. */
  readonly parts?: {
    /** `requestedAt` of the last scan that named all; absent when there was none. */
    readonly full?: string;
    /** By path of a lockfile, `requestedAt` of the last partial scan that named it. */
    readonly lockfiles: Readonly<Record<string, string>>;
  };
  readonly findings: readonly TrackedFinding[];
  /** Present while parts of the target have been hidden since its first scan. */
  readonly firstScan?: FirstScanState;
  /** True when the last scan could not see everything. */
  readonly incomplete?: boolean;
  /** What the look-up service knew; absent in states that release 0.1.0 wrote. */
  readonly known?: KnownPackages;
  /** Present when the last scan named all lockfiles and could find out everything. */
  readonly basis?: ScanBasis;
}

/** Parts of a target that no scan could see yet. */
export interface FirstScanState {
  /** `requestedAt` of the first scan. */
  readonly since: string;
  /** Paths of lockfiles and purls; `all` where they are too many, or not known. */
  readonly hidden: readonly string[] | 'all';
}

/** A sample of the target's packages that the look-up service knew, to detect lost data of the service. */
export interface KnownPackages {
  /** RFC 3339 time of the last scan that it answered. */
  readonly at: string;
  /** Hashes of purls. */
  readonly hashes: readonly number[];
}
