import type { Finding, RatedSeverity, Severity } from './finding.ts';

/** Transitions of a finding between two scans (promise 2). */
export type Transition = 'opened' | 'worsened' | 'reopened' | 'resolved';

/** In the order in which they are listed. */
export const TRANSITIONS: readonly Transition[] = ['opened', 'worsened', 'reopened', 'resolved'];

/** Numbers of changes by transition. */
export type TransitionCounts = Readonly<Record<Transition, number>>;

/**
 * How a finding of a target's first scan was told: `summary` (together with the others, in one alert) or `none`. One that
 * is told by itself has none.
 */
export type Announcement = 'summary' | 'none';

export interface Change {
  readonly transition: Transition;
  readonly finding: Finding;
  /** For `worsened` the severity before; for `resolved` the worst it was, when that is worse than the last one. */
  readonly previousSeverity?: Severity;
  /** For `opened` and `resolved`: that the finding is, or was, not told by itself. */
  readonly announced?: Announcement;
}

/** A finding as remembered between scans. */
export interface TrackedFinding {
  readonly finding: Finding;
  readonly status: 'open' | 'resolved';
  /** RFC 3339 times of the scans that saw the transitions. */
  readonly openedAt: string;
  readonly changedAt: string;
  /** The worst that it counted as since it opened, where it has become less bad. */
  readonly worst?: RatedSeverity;
  /** Until it worsens or returns: then it is told by itself. */
  readonly announced?: Announcement;
}

/** Everything remembered of a target: the outcome of its last judged scan. */
export interface TargetState {
  /** Grows by one with each judged scan; a write names the revision that it replaces. */
  readonly revision: number;
  readonly scan: string;
  /** When the newest judged scan was asked for: of each lockfile an older scan never replaces a newer one. */
  readonly requestedAt: string;
  /** Present where scans named only some of the lockfiles since the last one that named all. */
  readonly parts?: {
    /** `requestedAt` of the last scan that named all; absent when there was none. */
    readonly full?: string;
    /** By path, `requestedAt` of the last scan that named only some, this one among them. */
    readonly lockfiles: Readonly<Record<string, string>>;
  };
  readonly findings: readonly TrackedFinding[];
  /** Present as long as something of the target is hidden since its first scan. */
  readonly firstScan?: FirstScanState;
  /** True when the last scan could not see everything. */
  readonly incomplete?: boolean;
  /** What the look-up service knew; absent in states that release 0.1.0 wrote. */
  readonly known?: KnownPackages;
}

/** What no scan of a target could see yet. */
export interface FirstScanState {
  /** `requestedAt` of the first scan. */
  readonly since: string;
  /** Paths of lockfiles and purls; `all` where they are too many, or not known. */
  readonly hidden: readonly string[] | 'all';
}

/** Packages of a target that the look-up service knew: a sample, to notice when it loses data. */
export interface KnownPackages {
  /** RFC 3339 time of the last scan that it answered. */
  readonly at: string;
  /** Hashes of purls. */
  readonly hashes: readonly number[];
}
