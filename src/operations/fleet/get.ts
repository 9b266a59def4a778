import { LRUCache } from 'lru-cache';
import type { Store } from '../../compose/store.ts';
import type { FleetSnapshot } from '../../fleet/view/fleet-snapshot.ts';
import { SEVERITIES } from '../../model/scan/severity.ts';
import { type IsStale, type OperationContext, perContext, unreadableOf } from '../context.ts';
import type { Operation } from '../operation.ts';
import type { Principal } from '../principal.ts';

/** Deliveries that are read together. */
const DELIVERIES_AT_ONCE = 500;
/** Callers whose counts are remembered. */
const REMEMBERED = 100;
/** How long their counts are remembered, in ms: many deliveries may be read for them. */
const FRESH_MS = 1_000;

/** The fleet in numbers; for a caller who sees some targets those of the last second. */
export const get: Operation<'lockhound.fleet.get'> = async ({ principal }, context) => {
  const snapshot = await context.snapshot({});
  const recent = remembered(context);
  const key = `${snapshot.version} ${principal.scope}`;
  const counts = recent.get(key) ?? countAll(context, snapshot, principal);
  if (!principal.seesAll) {
    counts.catch(() => recent.delete(key));
    recent.set(key, counts, { noUpdateTTL: true });
  }
  return {
    ...(await counts),
    unreadable: [],
    ...unreadableOf(context, principal),
    readAt: new Date(context.readAt()).toISOString(),
  };
};

const remembered = perContext(
  () => new LRUCache<string, ReturnType<typeof countAll>>({ max: REMEMBERED, ttl: FRESH_MS }),
);

async function countAll(context: OperationContext, snapshot: FleetSnapshot, principal: Principal) {
  return {
    ...targetCounts(snapshot, await context.staleness(), principal),
    ...(await storeCounts(context, principal)),
  };
}

function targetCounts(
  { targets, leftOut }: FleetSnapshot,
  isStale: IsStale,
  { sees }: Pick<Principal, 'sees'>,
) {
  const worst: Record<string, number> = {};
  const open: Record<string, number> = {};
  const sums = { targets: 0, packages: 0, incomplete: 0, stale: 0, leftOut: 0 };
  for (const target of targets.values()) {
    if (!sees(target.target)) continue;
    sums.targets += 1;
    sums.packages += target.packages;
    if (target.incomplete) sums.incomplete += 1;
    if (isStale(target)) sums.stale += 1;
    sums.leftOut += leftOut.get(target.target) ?? 0;
    const own = SEVERITIES.find((severity) => (target.open[severity] ?? 0) > 0) ?? 'clear';
    worst[own] = (worst[own] ?? 0) + 1;
    for (const [severity, count] of Object.entries(target.open))
      open[severity] = (open[severity] ?? 0) + count;
  }
  return { ...sums, worst, open };
}

/** Counts of what the store has, without what is about targets that the caller does not see. */
async function storeCounts(
  { fleet: { shards } }: Pick<OperationContext, 'fleet'>,
  { sees, seesAll }: Principal,
) {
  const counts = { openDeliveries: 0, failedDeliveries: 0, failingSources: 0 };
  const holding = new Set<string>();
  let rejectedPayloads = 0;
  for (const { deliveries, rejected, schedules } of shards) {
    const own = seesAll ? await deliveries.counts() : await ownDeliveries(deliveries, sees, holding);
    counts.openDeliveries += own.open;
    counts.failedDeliveries += own.failed;
    counts.failingSources += (await schedules.failing()).filter(({ target }) => sees(target)).length;
    if (seesAll) rejectedPayloads += await rejected.count();
  }
  const stopped = (await shards[0]?.deliveries.stoppedRoutes()) ?? [];
  return {
    ...counts,
    ...(seesAll ? { rejected: rejectedPayloads } : {}),
    stoppedRoutes: seesAll ? stopped : stopped.filter(({ route }) => holding.has(route)),
  };
}

/** Adds the routes of open deliveries to `routes`. */
async function ownDeliveries(
  deliveries: Store['deliveries'],
  sees: Principal['sees'],
  routes: Set<string>,
): Promise<{ readonly open: number; readonly failed: number }> {
  const counts = { open: 0, failed: 0 };
  for (const kind of ['open', 'failed'] as const) {
    for await (const { delivery } of deliveries.newest(kind, { count: DELIVERIES_AT_ONCE })) {
      if (!sees(delivery.target)) continue;
      counts[kind] += 1;
      if (kind === 'open') routes.add(delivery.route);
    }
  }
  return counts;
}
