import type { NotifiedChange } from '../../model/alert/notification.ts';
import type { Change } from '../../model/scan/change.ts';
import type { Finding, Priority } from '../../model/scan/finding.ts';
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
  /** 0 to 100 with what it is made of; null in alerts of earlier releases. */
  readonly priority: Priority | null;
  /** Whether the issue is known to be exploited, and its probability of exploitation; null when that is not known. */
  readonly kev: boolean | null;
  readonly epss: number | null;
  /** How to clear it, one for each lockfile where that was computed. */
  readonly fixes: readonly FixEvent[];
  /** RFC 3339: since when it is open; null for a new one. */
  readonly since: string | null;
  /** Whole days for which it was open when it was judged, and when it has to be resolved (RFC 3339); null where that is not known. */
  readonly age: number | null;
  readonly due: string | null;
  /** Why a suppression ended, for `reopened`. */
  readonly reason: string | null;
  /** Why the finding does not alert, for `suppressed` and for the resolution of a suppressed one. */
  readonly suppressed: {
    readonly reason: string;
    readonly author: string | null;
    readonly expires: string | null;
  } | null;
  /** Signals of a compromised release, with their points. */
  readonly suspicion: {
    readonly score: number;
    readonly reasons: readonly { readonly signal: string; readonly points: number; readonly text: string }[];
  } | null;
  readonly locations: readonly {
    readonly path: string;
    readonly line: number | null;
    readonly dependencyPath: readonly string[];
  }[];
  /** Stable over scans: the same issue of the same package in the same target. */
  readonly fingerprint: string;
}

type FixEvent = Pick<NonNullable<Finding['fixes']>[number], 'kind' | 'path' | 'changes' | 'commands'>;

/** `target` is the id of the notification's target, for changes that do not name their own. */
export function changeEvent(change: NotifiedChange, target: string): ChangeEvent {
  const { transition, previousSeverity, finding } = change;
  const { advisory, locations, suppressed } = finding;
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
    priority: finding.priority ?? null,
    kev: finding.kev?.listed ?? null,
    epss: finding.epss?.score ?? null,
    fixes: (finding.fixes ?? []).map(({ kind, path, changes, commands }) => ({
      kind,
      path,
      changes,
      commands,
    })),
    since: change.since ?? null,
    age: finding.age?.days ?? null,
    due: finding.due ?? null,
    reason: change.reason ?? null,
    suppressed:
      suppressed === undefined
        ? null
        : {
            reason: suppressed.reason,
            author: suppressed.author ?? null,
            expires: suppressed.expires ?? null,
          },
    suspicion: finding.suspicion ?? null,
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
    fixes: event.fixes.slice(0, MAX_LOCATIONS).map((fix) => ({
      ...fix,
      changes: fix.changes.slice(0, MAX_STEPS),
      commands: fix.commands.slice(0, MAX_LOCATIONS).map((command) => truncateText(command, MAX_LINE)),
    })),
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
