import type { RouteMatch, RouteRule, Routing } from '../model/alert/routing.ts';
import type { Change } from '../model/scan/change.ts';
import { atLeast, countedSeverity, type RatedSeverity } from '../model/scan/finding.ts';
import type { Target } from '../model/scan/target.ts';
import { inSlices } from '../model/yielding.ts';

/** The changes of one route: positions in the list of changes, ascending; never empty. */
export interface RoutedChanges {
  readonly rule: RouteRule;
  readonly changes: readonly number[];
}

/** Assigns changes to routes. Notes and findings that were announced to no receiver are not sent. */
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

function fitsLabels({ labels: wanted = {} }: RouteMatch, { labels }: Target): boolean {
  return Object.entries(wanted).every(([name, patterns]) => {
    const value = Object.hasOwn(labels, name) ? labels[name] : undefined;
    return value !== undefined && patterns.some((pattern) => matches(pattern, value));
  });
}

function fits({ ecosystems, minSeverity, rules, transitions }: RouteMatch, change: Change): boolean {
  const { finding, transition } = change;
  if (transitions !== undefined && !transitions.includes(transition)) return false;
  if (ecosystems !== undefined && !ecosystems.includes(finding.package.ecosystem)) return false;
  if (rules !== undefined && !rules.includes(finding.rule)) return false;
  return minSeverity === undefined || atLeast(worstOf(change), minSeverity);
}

/** Routes a resolution by the worst severity that was reported. */
function worstOf({ transition, finding, previousSeverity }: Change): RatedSeverity {
  const now = countedSeverity(finding);
  if (transition !== 'resolved' || previousSeverity === undefined) return now;
  const before = countedSeverity({ ...finding, severity: previousSeverity });
  return atLeast(before, now) ? before : now;
}

/** `*` matches any text, including an empty one. */
function matches(pattern: string, value: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return pattern === value;
  const last = rest.pop() ?? '';
  if (!value.startsWith(first) || !value.endsWith(last)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = value.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= value.length - last.length;
}
