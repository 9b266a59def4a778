import type { Logger } from 'pino';
import type { Config } from '../../config/schema.ts';
import { keyOfIdentity } from '../../fleet/identity.ts';
import type { FollowUp } from '../../jobs/follow-up.ts';
import { inspectionsDue, projectsDue } from '../../jobs/payloads/inspect-packages.ts';
import { FLEET_TARGET, freshnessDue } from '../../jobs/refresh/check-freshness.ts';
import { refreshDue } from '../../jobs/refresh/refresh-fleet.ts';
import { selectionDue, settingsDue, suppressionsDue } from '../../jobs/refresh/select-targets.ts';
import type { Routing } from '../../model/alert/routing.ts';
import { defined } from '../../model/defined.ts';
import type { Cadence } from '../../model/fleet/cadence.ts';
import type { Schedule } from '../../workers/schedules.ts';
import type { Store } from '../store.ts';

/** A scan of one target that learns of a change alerts the others within about this time. */
const SELECTION_MS = 60_000;

/** Young versions that are inspected again at a time; those that were inspected longest ago come first. */
const MAX_INSPECTED = 5_000;

/** Facts are out of date for at most this time, or a tenth of `watch.staleAfter`, before that is an alert. */
const FRESHNESS_MS = 60_000;

const GARBAGE_MS = 24 * 3_600_000;

interface RefreshOptions {
  /** Hash of the settings of this worker by which targets are judged, and its routes. */
  readonly settings: string;
  readonly routing: Routing;
  readonly log: Logger;
}

/**
 * Schedules the refreshes of the fleet, the check whether its facts are fresh, the removal of what no target needs, and the selection of targets: for what scans learned,
 * and of all targets when this worker has other settings or suppressions than those by which they were judged.
 */
export function refreshSchedules(
  {
    fleet,
    inspections,
    collectGarbage,
    suppressions,
    targets,
  }: Pick<Store, 'fleet' | 'inspections' | 'collectGarbage' | 'suppressions' | 'targets'>,
  { every, young, jitter, staleAfter, inspect }: Config['watch'],
  { settings, routing, log }: RefreshOptions,
): readonly Schedule[] {
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
  const refresh = (cadence: Cadence, everyMs: number): readonly Schedule[] =>
    everyMs === 0
      ? []
      : [
          {
            name: `refresh-${cadence}`,
            everyMs,
            jitterMs: Math.min(jitter, everyMs / 2),
            start: (due) => [refreshDue(cadence, due)],
          },
        ];
  return [
    ...refresh('all', every),
    ...refresh('young', young),
    ...(every === 0
      ? []
      : [
          {
            name: 'check-freshness',
            everyMs: Math.min(FRESHNESS_MS, Math.max(1_000, Math.round(staleAfter / 10))),
            async start(due: Date) {
              const state = await targets.read(FLEET_TARGET.id);
              const last = await fleet.lastRefresh('all');
              return freshnessDue(await fleet.freshness(staleAfter), { state, last }, due);
            },
          },
        ]),
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
    ...(young === 0 || !inspect
      ? []
      : [
          {
            name: 'inspect-young',
            everyMs: young,
            jitterMs: Math.min(jitter, young / 2),
            async start(due: Date) {
              const identities = await inspections.due(due.getTime(), MAX_INSPECTED);
              return inspectionsDue(identities.flatMap(keyOfIdentity), due);
            },
          },
        ]),
    ...(every === 0 || !inspect
      ? []
      : [
          {
            name: 'inspect-projects',
            everyMs: every,
            jitterMs: Math.min(jitter, every / 2),
            start: async (due: Date) => projectsDue(await inspections.projects.ids(), due),
          },
        ]),
    {
      name: 'collect-garbage',
      everyMs: GARBAGE_MS,
      async start() {
        log.info(await collectGarbage(), 'what no target needs is removed');
        return [];
      },
    },
  ];
}
