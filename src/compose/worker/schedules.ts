import type { Logger } from 'pino';
import type { Config } from '../../config/schema.ts';
import type { NotifyConfig } from '../../config/sections/notify.ts';
import { keyOfIdentity } from '../../fleet/identity.ts';
import { gatherDigest } from '../../jobs/gather-digest.ts';
import { type FollowUp, followUp } from '../../jobs/job.ts';
import { inspectionsDue, projectsDue } from '../../jobs/payloads/inspect-packages.ts';
import { FLEET_TARGET, freshnessDue } from '../../jobs/refresh/check-freshness.ts';
import { listedSince, refreshDue } from '../../jobs/refresh/refresh-fleet.ts';
import { selectionDue, settingsDue, suppressionsDue } from '../../jobs/refresh/select-targets.ts';
import type { Routing } from '../../model/alert/routing.ts';
import { defined } from '../../model/defined.ts';
import { messageOf } from '../../model/errors.ts';
import type { Severity } from '../../model/scan/severity.ts';
import type { Schedule } from '../../workers/schedules.ts';
import { issueRoutes, periodicRoutes, remindedRoutes } from '../notify/routing.ts';
import type { Store } from '../store.ts';

/** A scan of one target that learns of a change alerts the others within about this time. */
const SELECTION_MS = 60_000;

/** Young versions that are inspected again at a time; those that were inspected longest ago come first. */
const MAX_INSPECTED = 5_000;

/** Facts are out of date for at most this time, or a tenth of `watch.staleAfter`, before that is an alert. */
const FRESHNESS_MS = 60_000;

const DAY_MS = 24 * 3_600_000;
/** A pass that moves ledgers is repeated after this time where it failed, and daily where it did not. */
const ARCHIVE_MS = 3_600_000;

interface RefreshOptions {
  /** Hash of the settings of this worker by which targets are judged, and its routes. */
  readonly settings: string;
  readonly routing: Routing;
  /** Time between two looks at what lists of changes named, in ms; 0 when none is read. */
  readonly listedEvery: number;
  readonly log: Logger;
}

/**
 * Schedules the refreshes of the fleet, the check whether its facts are fresh, the removal of what no target needs, and the selection of targets: for what scans learned,
 * and of all targets when this worker has other settings or suppressions than those by which they were judged.
 */
export function refreshSchedules(
  store: Store,
  { every, young, jitter, staleAfter, inspect }: Config['watch'],
  { settings, routing, listedEvery, log }: RefreshOptions,
): readonly Schedule[] {
  const { advisoryChanges, archiveLedgers, fleet, inspections, collectGarbage, suppressions, targets } =
    store;
  // Once for each process: during a deployment, workers with old and new settings would replace each other's.
  let isCompared = false;
  const changedSettings = async (due: Date): Promise<readonly FollowUp[]> => {
    if (isCompared) return [];
    const isChanged = (await fleet.judgedSettings()) !== settings;
    const before = isChanged ? await fleet.judgedRouting() : undefined;
    isCompared = true;
    const routes = { now: routing, ...defined({ before }) };
    return isChanged ? [settingsDue(settings, routes, due)] : [];
  };
  return [
    ...repeated('refresh-all', every, (due) => [refreshDue('all', due)], jitter),
    ...repeated('refresh-young', young, (due) => [refreshDue('young', due)], jitter),
    ...repeated('refresh-listed', listedEvery, async (due) => {
      const since = listedSince(await fleet.lastRefresh('listed'));
      return (await advisoryChanges.countListedSince(since)) === 0 ? [] : [refreshDue('listed', due)];
    }),
    ...repeated(
      'check-freshness',
      every === 0 ? 0 : Math.min(FRESHNESS_MS, Math.max(1_000, Math.round(staleAfter / 10))),
      async (due) => {
        const state = await targets.read(FLEET_TARGET.id);
        const last = await fleet.lastRefresh('all');
        return freshnessDue(await fleet.freshness(staleAfter), { state, last }, due);
      },
    ),
    {
      name: 'select-targets',
      everyMs: SELECTION_MS,
      async start(due) {
        const all = await changedSettings(due);
        if (all.length > 0) return all;
        const revision = await suppressions.revision();
        if (revision !== (await fleet.judgedSuppressions())) return [suppressionsDue(revision, due)];
        const waiting = (await fleet.countPending()) + (await fleet.countDue(Date.now()));
        return waiting === 0 ? [] : [selectionDue(due)];
      },
    },
    ...repeated(
      'inspect-young',
      inspect ? young : 0,
      async (due) => {
        const identities = await inspections.due(due.getTime(), MAX_INSPECTED);
        return inspectionsDue(identities.flatMap(keyOfIdentity), due);
      },
      jitter,
    ),
    ...repeated(
      'inspect-projects',
      inspect ? every : 0,
      async (due) => projectsDue(await inspections.projects.ids(), due),
      jitter,
    ),
    {
      name: 'collect-garbage',
      everyMs: DAY_MS,
      async start() {
        log.info(await collectGarbage(), 'what no target needs is removed');
        return [];
      },
    },
    ...repeated('archive-ledgers', archiveLedgers === undefined ? 0 : ARCHIVE_MS, async (due) => {
      const { error, succeededAt = 0 } = (await store.lastArchive()) ?? {};
      if (error === undefined && due.getTime() < succeededAt + DAY_MS) return [];
      // Redis keeps what the storage does not take.
      await archiveLedgers?.().then(
        (counts) => log.info(counts, 'old blocks of ledgers are in the storage'),
        (fault) => log.warn({ error: messageOf(fault) }, 'old blocks of ledgers are not archived'),
      );
      return [];
    }),
  ];
}

/** A schedule; none with an interval of 0. */
function repeated(name: string, everyMs: number, start: Schedule['start'], jitter = 0): readonly Schedule[] {
  return everyMs === 0 ? [] : [{ name, everyMs, jitterMs: Math.min(jitter, everyMs / 2), start }];
}

/** Several times a day, so that each day has a count although starts move. */
const EVERY_MS = 6 * 3_600_000;

/** Counts the targets of all shards and their open findings for the trend of the page. The last count of a day stays. */
export function dayCountSchedule(
  shards: readonly Pick<Store, 'targetSummaries' | 'dayCounts'>[],
  now: () => number = Date.now,
): Schedule {
  return {
    name: 'count-fleet',
    everyMs: EVERY_MS,
    async start() {
      const open: Partial<Record<Severity, number>> = {};
      let targets = 0;
      for (const { targetSummaries } of shards) {
        for await (const part of targetSummaries.all()) {
          targets += part.length;
          for (const [, summary] of part) addCounts(open, summary.open);
        }
      }
      const day = new Date(now()).toISOString().slice(0, 10);
      await shards[0]?.dayCounts.write({ day, targets, open });
      return [];
    },
  };
}

function addCounts(
  sum: Partial<Record<Severity, number>>,
  counts: Readonly<Partial<Record<Severity, number>>>,
): void {
  for (const [name, count = 0] of Object.entries(counts)) {
    const severity = name as Severity;
    sum[severity] = (sum[severity] ?? 0) + count;
  }
}

/** Alerts of routes of mode `advisory` are gathered at this interval. */
const ISSUES_MS = 10_000;
/** When reminders are sent, unless configured. */
const MONDAYS = { cron: '0 8 * * 1', timeZone: 'UTC' } as const;
const FIRST_OF_MONTH = { cron: '0 8 1 * *', timeZone: 'UTC' } as const;
/** Interval of the search for entries whose route is no longer periodic. */
const ORPHANED_MS = 60_000;

/**
 * Schedules the digest of each periodic route, the reminders, the digests of exceptions that can go, the alerts of routes of mode `advisory`, and digests of entries that wait
 * for routes that are no longer periodic. Missed runs are started once, late.
 */
export function digestSchedules(
  { digests }: Pick<Store, 'digests'>,
  notify: NotifyConfig,
): readonly Schedule[] {
  const periodic = periodicRoutes(notify);
  const issues = issueRoutes(notify);
  return [
    ...[...periodic].map(([route, everyMs]) => ({
      name: `digest-${route}`,
      everyMs,
      aligned: true,
      start: (due: Date) => [digestOf('changes', route, due)],
    })),
    ...reminderSchedule(notify),
    ...exceptionSchedule(notify),
    ...issues.map((route) => ({
      name: `issues-${route}`,
      everyMs: ISSUES_MS,
      aligned: true,
      start: async (due: Date) =>
        (await digests.read(route)).length === 0 ? [] : [digestOf('issues', route, due)],
    })),
    {
      // The name cannot be that of a route's schedule: those begin with `digest-` or `issues-`.
      name: 'digests-left-behind',
      everyMs: ORPHANED_MS,
      async start(due) {
        const others = (await digests.routes()).filter(
          (route) => !periodic.has(route) && !issues.includes(route),
        );
        const waiting = await Promise.all(
          others.map(async (route) => (await digests.read(route)).length > 0),
        );
        return others.filter((_, index) => waiting[index]).map((route) => digestOf('changes', route, due));
      },
    },
  ];
}

function reminderSchedule(notify: NotifyConfig): readonly Schedule[] {
  const { remindAfter, remindAt = MONDAYS } = notify;
  const after = Object.fromEntries(Object.entries(remindAfter).filter(([, limit]) => limit !== undefined));
  const routes = remindedRoutes(notify);
  if (Object.keys(after).length === 0 || routes.length === 0) return [];
  return [
    {
      // No route's schedule has this name.
      name: 'remind-findings',
      ...remindAt,
      start: (due) => [
        followUp(gatherDigest, { of: 'overdue', window: due.toISOString(), after, routes: [...routes] }),
      ],
    },
  ];
}

/** Once a month, for routes that match on owners and get reminders. */
function exceptionSchedule(notify: NotifyConfig): readonly Schedule[] {
  const reminded = new Set(remindedRoutes(notify));
  const routes = notify.routes.flatMap(({ name, match }) =>
    match.owners !== undefined && reminded.has(name) ? name : [],
  );
  if (routes.length === 0) return [];
  return [
    {
      name: 'remind-exceptions',
      ...FIRST_OF_MONTH,
      start: (due) => [followUp(gatherDigest, { of: 'exceptions', window: due.toISOString(), routes })],
    },
  ];
}

function digestOf(of: 'changes' | 'issues', route: string, window: Date): FollowUp {
  return followUp(gatherDigest, { of, route, window: window.toISOString() });
}
