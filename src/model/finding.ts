/** From worst to least; `unknown` where an advisory has neither vector nor score. */
export type Severity = 'critical' | 'high' | 'medium' | 'low' | 'none' | 'unknown';

/** For ordering and `--fail-on`: `unknown` ranks between `medium` and `low`, as something nobody has judged. */
export const SEVERITIES: readonly Severity[] = ['critical', 'high', 'medium', 'unknown', 'low', 'none'];

/** True when `left` is at least as bad as `right`. */
export function atLeast(left: Severity, right: Severity): boolean {
  return SEVERITIES.indexOf(left) <= SEVERITIES.indexOf(right);
}

/** Where a package stands in the target. */
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

/** A rule's verdict on a package in a target. */
export interface Finding {
  /** Stable over scans: the same issue of the same package in the same target has the same one. */
  readonly fingerprint: string;
  readonly rule: string;
  readonly severity: Severity;
  /** One line a person understands. */
  readonly title: string;
  readonly package: {
    readonly ecosystem: string;
    readonly name: string;
    readonly version: string;
    readonly purl: string;
    readonly direct: boolean | undefined;
    readonly groups: readonly string[];
  };
  readonly locations: readonly Location[];
  readonly advisory?: AdvisoryEvidence;
  /** Tells findings of one rule and package apart where no advisory does. */
  readonly issue?: string;
  /** What to do, where the rule knows. */
  readonly advice?: string;
}
