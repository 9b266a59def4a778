/** Severities, worst first. */
export const RATED_SEVERITIES = ['critical', 'high', 'medium', 'low', 'none'] as const;
export type RatedSeverity = (typeof RATED_SEVERITIES)[number];

/** `unrated` where an advisory has neither a vector that can be read nor a score. */
export type Severity = RatedSeverity | 'unrated';

/** In the order in which reports list them. */
export const SEVERITIES: readonly Severity[] = ['critical', 'high', 'medium', 'unrated', 'low', 'none'];

/** True when `left` is at least as bad as `right`. */
export function atLeast(left: RatedSeverity, right: RatedSeverity): boolean {
  return compareSeverity(left, right) <= 0;
}

/** For sorting, worst first. */
export function compareSeverity(left: RatedSeverity, right: RatedSeverity): number {
  return RATED_SEVERITIES.indexOf(left) - RATED_SEVERITIES.indexOf(right);
}

/** The severity of a finding for exit codes, routes and order: its own, or what an unrated one counts as. */
export function countedSeverity({
  severity,
  countsAs,
}: Pick<Finding, 'severity' | 'countsAs'>): RatedSeverity {
  return severity === 'unrated' ? (countsAs ?? 'medium') : severity;
}

/** The place of a package in the target. */
export interface Location {
  /** Path of the lockfile. */
  readonly path: string;
  readonly line?: number;
  /** Package ids from a direct dependency down to the package itself; empty when no path is known. */
  readonly dependencyPath: readonly string[];
}

/** The advisory behind a finding: all its names joined over aliases. */
export interface AdvisoryEvidence {
  /** The identifier shown: GHSA before others, the rest in `aliases`. */
  readonly id: string;
  readonly aliases: readonly string[];
  readonly title: string;
  readonly url: string;
  readonly score?: number;
  readonly vector?: string;
}

/** An issue that a rule found in a package of a target. */
export interface Finding {
  /** Stable over scans: identifies an issue of a package in a target. */
  readonly fingerprint: string;
  readonly rule: string;
  /** A `note` is reported, never fails a scan and never alerts. */
  readonly level: 'note' | 'alert';
  readonly severity: Severity;
  /** What an `unrated` one counts as (`policy.unknownSeverity`). */
  readonly countsAs?: RatedSeverity;
  /** One line of plain text. */
  readonly title: string;
  readonly package: {
    readonly ecosystem: string;
    readonly name: string;
    readonly version: string;
    readonly purl: string;
    readonly direct?: boolean | undefined;
    readonly groups: readonly string[];
  };
  readonly locations: readonly Location[];
  readonly advisory?: AdvisoryEvidence;
  /** Distinguishes findings of one rule and package that have no advisory. */
  readonly issue?: string;
  /** What to do, where the rule knows. */
  readonly advice?: string;
}
