import type { Change } from '../model/change.ts';
import { atLeast, countedSeverity, type RatedSeverity } from '../model/finding.ts';
import type { RouteMatch, RouteRule, Routing } from '../model/routing.ts';
import type { Target } from '../model/target.ts';

/** What goes by a route: positions in the list of changes, ascending; never empty. */
export interface RoutedChanges {
  readonly rule: RouteRule;
  readonly changes: readonly number[];
}

/** Shares the changes of a scan out among the routes. Notes and a change that no route takes go nowhere. */
export function routeChanges(
  { take, rules }: Routing,
  target: Target,
  changes: readonly Change[],
): readonly RoutedChanges[] {
  const taken = new Map<RouteRule, number[]>();
  const named = rules.filter(({ rest }) => !rest);
  for (const [index, change] of changes.entries()) {
    if (change.finding.level === 'note') continue;
    const fitting = named.filter(({ match }) => fits(match, target, change));
    const takers =
      fitting.length > 0 ? fitting : rules.filter((rule) => rule.rest && fits(rule.match, target, change));
    for (const rule of take === 'first' ? takers.slice(0, 1) : takers) {
      taken.set(rule, [...(taken.get(rule) ?? []), index]);
    }
  }
  return rules.flatMap((rule) => {
    const own = taken.get(rule);
    return own === undefined ? [] : [{ rule, changes: own }];
  });
}

function fits(match: RouteMatch, { labels }: Target, change: Change): boolean {
  const { finding, transition } = change;
  const { ecosystems, minSeverity, rules, transitions } = match;
  if (transitions !== undefined && !transitions.includes(transition)) return false;
  if (ecosystems !== undefined && !ecosystems.includes(finding.package.ecosystem)) return false;
  if (rules !== undefined && !rules.includes(finding.rule)) return false;
  if (minSeverity !== undefined && !atLeast(worstOf(change), minSeverity)) return false;
  return Object.entries(match.labels ?? {}).every(([name, patterns]) => {
    const value = Object.hasOwn(labels, name) ? labels[name] : undefined;
    return value !== undefined && patterns.some((pattern) => matches(pattern, value));
  });
}

/** Who was told that it was bad is told that it is over, although it got less bad in between. */
function worstOf({ transition, finding, previousSeverity }: Change): RatedSeverity {
  const now = countedSeverity(finding);
  if (transition !== 'resolved' || previousSeverity === undefined) return now;
  const before = countedSeverity({ ...finding, severity: previousSeverity });
  return atLeast(before, now) ? before : now;
}

/** `*` stands for any text, also none. */
function matches(pattern: string, value: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return pattern === value;
  const last = rest.pop() ?? '';
  if (!value.startsWith(first) || !value.endsWith(last) || value.length < first.length + last.length)
    return false;
  let at = first.length;
  for (const part of rest) {
    const found = value.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= value.length - last.length;
}
