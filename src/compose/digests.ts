import type { NotifyConfig } from '../config/notify.ts';
import { type FollowUp, followUp } from '../jobs/follow-up.ts';
import { GATHER_DIGEST } from '../jobs/payloads/gather-digest.ts';
import type { Schedule } from '../workers/schedules.ts';
import { periodicRoutes } from './routing.ts';
import type { Store } from './store.ts';

/** Interval of the search for entries whose route is no longer periodic. */
const ORPHANED_MS = 60_000;

/**
 * Schedules the digest of each periodic route, and digests of entries that wait for routes that are no longer periodic.
 * Missed runs are started once, late.
 */
export function digestSchedules(
  { digests }: Pick<Store, 'digests'>,
  notify: NotifyConfig,
): readonly Schedule[] {
  const periodic = periodicRoutes(notify);
  return [
    ...[...periodic].map(([route, everyMs]) => ({
      name: `digest-${route}`,
      everyMs,
      aligned: true,
      start: (due: Date) => [digestOf(route, due)],
    })),
    {
      // The name cannot be that of a route's schedule: those begin with `digest-`.
      name: 'digests-left-behind',
      everyMs: ORPHANED_MS,
      async start(due) {
        const others = (await digests.routes()).filter((route) => !periodic.has(route));
        const waiting = await Promise.all(
          others.map(async (route) => (await digests.read(route)).length > 0),
        );
        return others.filter((_, index) => waiting[index]).map((route) => digestOf(route, due));
      },
    },
  ];
}

function digestOf(route: string, window: Date): FollowUp {
  return followUp(GATHER_DIGEST, { route, window: window.toISOString() });
}
