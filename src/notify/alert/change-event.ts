import type { NotifiedChange } from '../../model/alert/notification.ts';
import type { Finding } from '../../model/scan/finding.ts';
import { type Alert, type FittedChanges, fitChanges, jsonBytes, MAX_LINE, truncateText } from './alert.ts';

/** A change in JSON alerts: part of the schema `lockhound.changes/1`. */
type ChangeEvent = ReturnType<typeof changeEvent>;

/** `target` is the id of the notification's target, for changes that do not name their own. */
export function changeEvent(change: NotifiedChange, target: string) {
  const { finding } = change;
  const { advisory, locations, suppressed } = finding;
  const { ecosystem, name, version, purl, direct } = finding.package;
  return {
    /** Id of the target. */
    target: change.target ?? target,
    transition: change.transition,
    severity: finding.severity,
    /** The severity before, for `worsened`. */
    previousSeverity: change.previousSeverity ?? null,
    rule: finding.rule,
    title: finding.title,
    ecosystem,
    package: name,
    version,
    purl,
    /** Null when the lockfile does not say. */
    direct: direct ?? null,
    advisories: advisory === undefined ? [] : [advisory.id, ...advisory.aliases],
    url: advisory?.url ?? null,
    score: advisory?.score ?? null,
    /** The statements of the sources of the advisory where they disagree; null where they do not. */
    disputed: finding.disputed ?? null,
    advice: finding.advice ?? null,
    /** 0 to 100 with what it is made of. */
    priority: finding.priority ?? null,
    /** Whether the issue is known to be exploited, and its probability of exploitation; null when that is not known. */
    kev: finding.kev?.listed ?? null,
    epss: finding.epss?.score ?? null,
    /** How to clear it, one for each lockfile where that was computed. */
    fixes: (finding.fixes ?? []).map(({ kind, path, changes, commands }) => ({
      kind,
      path,
      changes,
      commands,
    })),
    /** RFC 3339: since when it is open; null for a new one. */
    since: change.since ?? null,
    /** Whole days for which it was open when it was judged, and when it has to be resolved (RFC 3339); null where that is not known. */
    age: finding.age?.days ?? null,
    due: finding.due ?? null,
    /** Why a suppression ended, for `reopened`. */
    reason: change.reason ?? null,
    /** Why the finding does not alert, for `suppressed` and for the resolution of a suppressed one. */
    suppressed: suppressed === undefined ? null : suppressionEvent(suppressed),
    /** Signals of a compromised release, with their points. */
    suspicion: finding.suspicion ?? null,
    locations: locations.map(({ path, line, dependencyPath }) => ({
      path,
      line: line ?? null,
      dependencyPath,
    })),
    /** Owners of its lockfiles. */
    owners: finding.owners ?? [],
    /** Stable over scans: the same issue of the same package in the same target. */
    fingerprint: finding.fingerprint,
  };
}

function suppressionEvent({ reason, author, expires }: NonNullable<Finding['suppressed']>) {
  return { reason, author: author ?? null, expires: expires ?? null };
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

/** The worst events, as many as fit into `budget` bytes of JSON. */
export function fitEvents(alert: Alert, budget: number): FittedChanges<ChangeEvent> {
  return fitChanges(
    alert,
    (change) => briefEvent(change, alert.target.id),
    budget,
    (event) => jsonBytes(event) + 1,
  );
}
