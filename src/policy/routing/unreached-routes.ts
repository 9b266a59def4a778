import type { RouteRule, Routing } from '../../model/alert/routing.ts';
import type { Target } from '../../model/scan/change.ts';
import { atLeast } from '../../model/scan/severity.ts';
import { fitsLabels } from './route-changes.ts';

/** A route that gets no alert from any target. */
export interface UnreachedRoute {
  readonly route: string;
  /** The route that takes everything before it; `undefined`: no target has its labels. */
  readonly takenBy: string | undefined;
}

/**
 * Compares the labels of targets with those of the routes. What else a route asks for may come with the next finding. `unreached`: the
 * routes, in their order.
 */
export function createRouteReach({ take, rules }: Routing) {
  const reached = new Set<RouteRule>();
  const taken = new Map<RouteRule, string>();
  return {
    add(target: Target): void {
      const open = rules.filter(({ match }) => fitsLabels(match, target));
      for (const [index, rule] of open.entries()) {
        const isLast = take === 'first' || rule.rest;
        const taker = isLast ? open.slice(0, index).find((one) => takesAllOf(one, rule)) : undefined;
        if (taker === undefined) reached.add(rule);
        else taken.set(rule, taker.name);
      }
    },
    unreached: () =>
      rules
        .filter((rule) => !reached.has(rule))
        .map((rule) => ({ route: rule.name, takenBy: taken.get(rule) })),
  };
}

/** Whether everything that the later route matches in a target of both matches the earlier one. */
function takesAllOf(earlier: RouteRule, { match: later }: RouteRule): boolean {
  const { labels: _labels, minSeverity, ...others } = earlier.match;
  if (Object.values(others).some((condition) => condition !== undefined)) return false;
  // Suppressions, and fixes that become known later, are sent only by routes that ask for them.
  if (later.transitions?.includes('suppressed') === true || later.fixable !== undefined) return false;
  return (
    minSeverity === undefined || (later.minSeverity !== undefined && atLeast(later.minSeverity, minSeverity))
  );
}
