import { type FleetStore, summariesOf } from '../../compose/fleet-store.ts';
import { configuredSuppressions } from '../../config/sections/suppressions.ts';
import { isExpired } from '../../policy/suppressions/suppressor.ts';
import { firstShard, unreadableOf } from '../context.ts';
import type { Operation } from '../operation.ts';
import { isOfOneTarget, shownSuppression } from './suppressions.ts';

/** The suppressions of the configuration and those that were added. A caller who sees some targets gets those about one of them. */
export const list: Operation<'lockhound.suppressions.list'> = async (
  { params: { removed = false }, principal },
  context,
) => {
  const { fleet, loaded } = context;
  const stored = await firstShard(fleet).suppressions.list();
  const configured = configuredSuppressions(loaded.config.suppressions).map((suppression) => ({
    suppression,
  }));
  const seen = [...configured, ...stored].filter(
    (one) =>
      (removed || !('removed' in one) || one.removed === undefined) &&
      (principal.seesAll || isOfOneTarget(one.suppression.target, principal.sees)),
  );
  const uses = await countUses(fleet);
  const now = Date.now();
  return {
    suppressions: seen.map((one) =>
      shownSuppression(one, {
        findings: uses.get(one.suppression.id) ?? 0,
        expired: isExpired(one.suppression, now),
      }),
    ),
    ...unreadableOf(context, principal),
  };
};

/** Number of suppressed findings by suppression. Only states of targets with suppressed findings are read. */
async function countUses(fleet: FleetStore): Promise<ReadonlyMap<string, number>> {
  const uses = new Map<string, number>();
  const targets: string[] = [];
  for await (const [target, { suppressed = 0 }] of summariesOf(fleet))
    if (suppressed > 0) targets.push(target);
  for (const [{ targets: states }, own] of Map.groupBy(targets, fleet.of)) {
    for await (const [, state] of states.each(own, fleet.onUnreadable)) {
      for (const { status, finding } of state.findings) {
        if (status !== 'open' || finding.suppressed === undefined) continue;
        const { by } = finding.suppressed;
        uses.set(by, (uses.get(by) ?? 0) + 1);
      }
    }
  }
  return uses;
}
