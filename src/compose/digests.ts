import type { NotifyConfig } from '../config/notify.ts';
import { type FollowUp, followUp } from '../jobs/follow-up.ts';
import { GATHER_DIGEST } from '../jobs/payloads/gather-digest.ts';
import type { Schedule } from '../workers/schedules.ts';
import { periodicRoutes } from './routing.ts';
import type { Store } from './store.ts';

/** Routes that have no digests any more have what still waits sent, looked for this often. */
const LEFT_BEHIND_MS = 60_000;

/**
 * Asks for the digest of each periodic route whenever its time is over, and for what waits for routes that are periodic no
 * more. A time that nobody was there for is made up for: what waits is in the store.
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
      // No route is called `digest`, and schedules of routes have a dash here.
      name: 'digests-left-behind',
      everyMs: LEFT_BEHIND_MS,
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
