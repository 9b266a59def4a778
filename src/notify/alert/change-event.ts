import type { NotifiedChange } from '../../model/alert/notification.ts';
import type { Change } from '../../model/scan/change.ts';

/** A change as receivers see it: part of the schema `lockhound.changes/1`. */
export interface ChangeEvent {
  /** Id of the target. */
  readonly target: string;
  readonly transition: Change['transition'];
  readonly severity: string;
  /** The severity before, for `worsened`. */
  readonly previousSeverity: string | null;
  readonly rule: string;
  readonly title: string;
  readonly ecosystem: string;
  readonly package: string;
  readonly version: string;
  readonly purl: string;
  /** Null when the lockfile does not tell. */
  readonly direct: boolean | null;
  readonly advisories: readonly string[];
  readonly url: string | null;
  readonly score: number | null;
  readonly advice: string | null;
  readonly locations: readonly {
    readonly path: string;
    readonly line: number | null;
    readonly dependencyPath: readonly string[];
  }[];
  /** Stable over scans: the same issue of the same package in the same target. */
  readonly fingerprint: string;
}

/** `target`: of the notification, for changes that name no other. */
export function changeEvent(change: NotifiedChange, target: string): ChangeEvent {
  const { transition, previousSeverity, finding } = change;
  const { advisory, locations } = finding;
  const { ecosystem, name, version, purl, direct } = finding.package;
  return {
    target: change.target ?? target,
    transition,
    severity: finding.severity,
    previousSeverity: previousSeverity ?? null,
    rule: finding.rule,
    title: finding.title,
    ecosystem,
    package: name,
    version,
    purl,
    direct: direct ?? null,
    advisories: advisory === undefined ? [] : [advisory.id, ...advisory.aliases],
    url: advisory?.url ?? null,
    score: advisory?.score ?? null,
    advice: finding.advice ?? null,
    locations: locations.map(({ path, line, dependencyPath }) => ({
      path,
      line: line ?? null,
      dependencyPath,
    })),
    fingerprint: finding.fingerprint,
  };
}
