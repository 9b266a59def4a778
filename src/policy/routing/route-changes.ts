import type { RouteMatch, RouteRule, Routing } from '../../model/alert/routing.ts';
import type { Change, Target } from '../../model/scan/change.ts';
import type { Finding } from '../../model/scan/finding.ts';
import { atLeast, countedSeverity, type RatedSeverity } from '../../model/scan/severity.ts';
import { matchesWildcard } from '../../model/wildcard.ts';
import { inSlices } from '../../model/yielding.ts';
import { isOnlyIn } from '../group-filter.ts';
import { cvesOf } from '../priority/exploits.ts';

/** The changes of one route: positions in the list of changes, ascending; never empty. */
export interface RoutedChanges {
  readonly rule: RouteRule;
  readonly changes: readonly number[];
}

/**
 * Assigns changes to routes. Notes and findings that were announced to no receiver are not sent. What receivers do not learn of
 * because of a suppression is sent only by routes whose `transitions` name `suppressed`.
 */
export async function routeChanges(
  { take, rules }: Routing,
  target: Target,
  changes: readonly Change[],
): Promise<readonly RoutedChanges[]> {
  // Labels belong to the target: they include or exclude a route for the whole scan.
  const open = rules.filter(({ match }) => fitsLabels(match, target));
  const named = open.filter(({ rest }) => !rest);
  const others = open.filter(({ rest }) => rest);
  const byRoute = new Map<RouteRule, number[]>(rules.map((rule) => [rule, []]));
  const note = (change: Change, index: number): void => {
    if (change.finding.level === 'note' || change.announced === 'none') return;
    const fitting = named.filter(({ match }) => fits(match, change));
    const takers = fitting.length > 0 ? fitting : others.filter(({ match }) => fits(match, change));
    for (const rule of take === 'first' ? takers.slice(0, 1) : takers) byRoute.get(rule)?.push(index);
  };
  let index = 0;
  for await (const slice of inSlices(changes)) for (const change of slice) note(change, index++);
  return Array.from(byRoute, ([rule, own]) => ({ rule, changes: own })).filter(
    ({ changes: own }) => own.length > 0,
  );
}

/** Whether a target has the labels of a route. */
export function fitsLabels({ labels: wanted = {} }: RouteMatch, { labels }: Target): boolean {
  return Object.entries(wanted).every(([name, patterns]) => {
    const value = Object.hasOwn(labels, name) ? labels[name] : undefined;
    return value !== undefined && patterns.some((pattern) => matchesWildcard(pattern, value));
  });
}

function fits(match: RouteMatch, change: Change): boolean {
  const { transitions, minSeverity } = match;
  const { finding, transition } = change;
  const isSilent = transition === 'suppressed' || change.unreported === true;
  if (isSilent && transitions?.includes('suppressed') !== true) return false;
  if (transitions !== undefined && !transitions.includes(transition)) return false;
  if (minSeverity !== undefined && !atLeast(worstOf(change), minSeverity)) return false;
  return fitsFix(match, change) && fitsFinding(match, finding);
}

/** A change whose fix was not known is sent late to those routes alone that match on it. */
function fitsFix({ fixable }: RouteMatch, change: Change): boolean {
  return fixable === undefined ? change.isLate !== true : change.fixable?.includes(fixable) === true;
}

function fitsFinding(match: RouteMatch, finding: Finding): boolean {
  const { package: found, rule, kev: listed, epss, owners = [] } = finding;
  const { ecosystems, rules, kev, minEpss = 0, direct, withoutGroups, owners: wanted } = match;
  // Both lists name CVEs. Where a list is not there, or does not have a young CVE yet, no route may miss it.
  const isUnknown = (said: unknown): boolean => said === undefined && cvesOf(finding).length > 0;
  return (
    (ecosystems === undefined || ecosystems.includes(found.ecosystem)) &&
    (rules === undefined || rules.includes(rule)) &&
    // Where the lockfile does not say so, no route may miss it.
    (direct === undefined || found.direct === undefined || direct === found.direct) &&
    (withoutGroups === undefined || !isOnlyIn(found.groups, new Set(withoutGroups))) &&
    (wanted === undefined ||
      wanted.some((pattern) => owners.some((owner) => matchesWildcard(pattern, owner)))) &&
    (kev === undefined || isUnknown(listed) || kev === (listed?.listed === true)) &&
    ((epss?.score ?? 0) >= minEpss || isUnknown(epss))
  );
}

/** Routes a resolution by the worst severity that was reported. */
function worstOf({ transition, finding, previousSeverity }: Change): RatedSeverity {
  const now = countedSeverity(finding);
  if (transition !== 'resolved' || previousSeverity === undefined) return now;
  // A rated one is what it counted as.
  const before =
    previousSeverity === 'unrated'
      ? countedSeverity({ ...finding, severity: previousSeverity })
      : previousSeverity;
  return atLeast(before, now) ? before : now;
}
