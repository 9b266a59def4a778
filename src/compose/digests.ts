import type { NotifyConfig } from '../config/sections/notify.ts';
import { type FollowUp, followUp } from '../jobs/follow-up.ts';
import { GATHER_DIGEST } from '../jobs/gather-digest.ts';
import { GATHER_ISSUES } from '../jobs/gather-issues.ts';
import { REMIND_FINDINGS } from '../jobs/refresh/remind-findings.ts';
import type { Schedule } from '../workers/schedules.ts';
import { issueRoutes, periodicRoutes, remindedRoutes } from './routing.ts';
import type { Store } from './store.ts';

/** Alerts of routes of mode `advisory` are gathered at this interval. */
const ISSUES_MS = 10_000;
/** When reminders are sent, unless configured. */
const MONDAYS = { cron: '0 8 * * 1', timeZone: 'UTC' } as const;
/** Interval of the search for entries whose route is no longer periodic. */
const ORPHANED_MS = 60_000;

/**
 * Schedules the digest of each periodic route, the reminders, the alerts of routes of mode `advisory`, and digests of entries that wait
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
      start: (due: Date) => [digestOf(route, due)],
    })),
    ...reminderSchedule(notify),
    ...issues.map((route) => ({
      name: `issues-${route}`,
      everyMs: ISSUES_MS,
      aligned: true,
      start: async (due: Date) => ((await digests.read(route)).length === 0 ? [] : [issuesOf(route, due)]),
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
        return others.filter((_, index) => waiting[index]).map((route) => digestOf(route, due));
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
      start: (due) => [followUp(REMIND_FINDINGS, { window: due.toISOString(), after, routes: [...routes] })],
    },
  ];
}

function issuesOf(route: string, window: Date): FollowUp {
  return followUp(GATHER_ISSUES, { route, window: window.toISOString() });
}

function digestOf(route: string, window: Date): FollowUp {
  return followUp(GATHER_DIGEST, { route, window: window.toISOString() });
}
