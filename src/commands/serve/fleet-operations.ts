import { LRUCache } from 'lru-cache';
import { SEVERITIES } from '../../model/scan/severity.ts';
import { firstShard, requireWholeFleet } from '../../operations/context.ts';
import { filterItems, pageOf, takePage } from '../../operations/paging.ts';
import { labelsOf, sinceOf } from '../../operations/parameters.ts';
import type { Principal } from '../../operations/principal.ts';
import type { HttpOperations } from '../../server/api/http-operation.ts';
import { findChanges } from '../fleet/changes.ts';
import { type ServeContext, snapshotOf } from './serve-context.ts';

type Own = 'lockhound.fleet.get' | 'lockhound.fleet.trend' | 'lockhound.changes.list';

const DAY_MS = 24 * 3_600_000;
const TREND_DAYS = 90;

/** Questions about the whole fleet. */
export function fleetOperations(context: ServeContext): Pick<HttpOperations, Own> {
  const { fleet, loaded } = context;
  const recentCounts = countsOf(context);
  const recentStored = storedCountsOf(context);
  return {
    'lockhound.fleet.get': async ({ principal: { scope, sees, seesAll } }) => ({
      ...recentCounts(scope, sees),
      ...(await recentStored(scope, { sees, seesAll })),
      // They name targets.
      unreadable: seesAll ? fleet.unreadable : [],
      readAt: new Date(context.view.readAt()).toISOString(),
    }),
    async 'lockhound.fleet.trend'({ params: { days = TREND_DAYS }, principal }) {
      requireWholeFleet(principal);
      const first = new Date(Date.now() - (days - 1) * DAY_MS).toISOString().slice(0, 10);
      return { days: await firstShard(fleet).dayCounts.since(first) };
    },
    async 'lockhound.changes.list'({ params, principal }) {
      const { target, rule: rules, severity, notes, fingerprint } = params;
      const page = pageOf<{ at: number; shard: number; id: string }>(context, {
        method: 'lockhound.changes.list',
        params,
        principal,
      });
      const filter = { target, rules, severity, notes, fingerprint, labels: labelsOf(params.label) };
      const found = findChanges(
        fleet,
        { ...filter, since: sinceOf(params.since) ?? 0, after: page.after },
        loaded.config.policy.unknownSeverity,
      );
      const seen = filterItems(found, (entry) => principal.sees(entry.target));
      const { items, next } = await takePage(seen, page, ({ at, shard, id }) => ({ at, shard, id }));
      const scans = items.map(({ at, shard: _shard, ...entry }) => ({
        ...entry,
        at: new Date(at).toISOString(),
      }));
      return { scans, ...next };
    },
  };
}

type Viewer = Pick<Principal, 'sees' | 'seesAll'>;

/** Deliveries that are read together. */
const DELIVERIES_AT_ONCE = 500;
/** Callers. */
const REMEMBERED = 100;
/** Whether a target is stale depends on the time. */
const FRESH_MS = 1_000;

/** The counts of a scope, which are those of the last second. */
function countsOf(context: ServeContext) {
  const recent = new LRUCache<string, ReturnType<typeof targetCounts>>({ max: REMEMBERED, ttl: FRESH_MS });
  return (scope: string, sees: (target: string) => boolean) => {
    const key = `${snapshotOf(context).version} ${scope}`;
    const counts = recent.get(key) ?? targetCounts(context, sees);
    recent.set(key, counts, { noUpdateTTL: true });
    return counts;
  };
}

/** What the store has for a scope: that of the last second, because it may read many deliveries. */
function storedCountsOf(context: ServeContext) {
  const recent = new LRUCache<string, ReturnType<typeof storeCounts>>({ max: REMEMBERED, ttl: FRESH_MS });
  return (scope: string, viewer: Viewer): ReturnType<typeof storeCounts> => {
    if (viewer.seesAll) return storeCounts(context, viewer);
    const known = recent.get(scope);
    if (known !== undefined) return known;
    const counts = storeCounts(context, viewer);
    counts.catch(() => recent.delete(scope));
    recent.set(scope, counts);
    return counts;
  };
}

function targetCounts(context: ServeContext, sees: (target: string) => boolean) {
  const { targets, leftOut } = snapshotOf(context);
  const worst: Record<string, number> = {};
  const open: Record<string, number> = {};
  const sums = { targets: 0, packages: 0, incomplete: 0, stale: 0, leftOut: 0 };
  for (const target of targets.values()) {
    if (!sees(target.target)) continue;
    sums.targets += 1;
    sums.packages += target.packages;
    if (target.incomplete) sums.incomplete += 1;
    if (context.view.isStale(target)) sums.stale += 1;
    sums.leftOut += leftOut.get(target.target) ?? 0;
    const own = SEVERITIES.find((severity) => (target.open[severity] ?? 0) > 0) ?? 'clear';
    worst[own] = (worst[own] ?? 0) + 1;
    for (const [severity, count] of Object.entries(target.open))
      open[severity] = (open[severity] ?? 0) + count;
  }
  return { ...sums, worst, open };
}

/** Counts of what the store has, without what is about targets that the caller does not see. */
async function storeCounts({ fleet: { shards } }: ServeContext, { sees, seesAll }: Viewer) {
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
  deliveries: ServeContext['fleet']['shards'][number]['deliveries'],
  sees: Viewer['sees'],
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
