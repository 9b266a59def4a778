import type { Routing } from '../../model/alert/routing.ts';
import type { Change, Target, TargetState } from '../../model/scan/change.ts';
import { isAlert } from '../../model/scan/is-alert.ts';
import { toldOf } from './fixable-routes.ts';
import { routeChanges } from './route-changes.ts';

interface ChangedRouting {
  readonly before: Routing;
  readonly now: Routing;
  /** RFC 3339 time of the change. */
  readonly requestedAt: string;
}

/**
 * Open findings of a target that routes get by the current routing and did not get by the one before, as changes by name of the
 * route: those of a new route, and those that a changed condition includes. Findings that opened after the change are left out,
 * because their own alerts went by the current routing; so are suppressed ones and those that were announced to
 * no receiver.
 */
export async function newlyRouted(
  { before, now, requestedAt }: ChangedRouting,
  { target, findings }: { readonly target: Target } & Pick<TargetState, 'findings'>,
): Promise<ReadonlyMap<string, readonly Change[]>> {
  const existing = findings.filter(
    ({ finding, status, changedAt, announced }) =>
      status === 'open' &&
      isAlert(finding) &&
      announced !== 'none' &&
      Date.parse(changedAt) < Date.parse(requestedAt),
  );
  const changes = existing.map(
    ({ finding, fixRoutes }): Change => ({ transition: 'opened', finding, ...toldOf(fixRoutes) }),
  );
  const routedBefore = new Map(
    (await routeChanges(before, target, changes)).map(({ rule, changes: own }) => [rule.name, new Set(own)]),
  );
  const added = new Map<string, readonly Change[]>();
  for (const { rule, changes: own } of await routeChanges(now, target, changes)) {
    const known = routedBefore.get(rule.name);
    const more = own.filter((index) => known?.has(index) !== true).flatMap((index) => changes[index] ?? []);
    if (more.length > 0) added.set(rule.name, more);
  }
  return added;
}
