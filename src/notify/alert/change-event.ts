import type { NotifiedChange } from '../../model/alert/notification.ts';
import type { Change } from '../../model/scan/change.ts';
import type { Alert } from './alert.ts';
import { type FittedChanges, fitChanges, jsonBytes, MAX_LINE, truncateText } from './truncate.ts';

/** A change in JSON alerts: part of the schema `lockhound.changes/1`. */
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
  /** Null when the lockfile does not say. */
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

/** `target` is the id of the notification's target, for changes that do not name their own. */
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

const MAX_LOCATIONS = 10;
const MAX_STEPS = 30;
const MAX_ADVISORIES = 30;

/** The event with its lists cut, so that a finding with a thousand locations does not fill an alert by itself. */
export function briefEvent(change: NotifiedChange, target: string): ChangeEvent {
  const event = changeEvent(change, target);
  return {
    ...event,
    title: truncateText(event.title, MAX_LINE),
    advice: event.advice === null ? null : truncateText(event.advice, MAX_LINE),
    advisories: event.advisories.slice(0, MAX_ADVISORIES),
    locations: event.locations
      .slice(0, MAX_LOCATIONS)
      .map((location) => ({ ...location, dependencyPath: location.dependencyPath.slice(0, MAX_STEPS) })),
  };
}

/** As many events as fit into `budget` bytes of JSON, worst first. */
export function fitEvents(alert: Alert, budget: number): FittedChanges<ChangeEvent> {
  return fitChanges(
    alert,
    (change) => briefEvent(change, alert.target.id),
    budget,
    (event) => jsonBytes(event) + 1,
  );
}
