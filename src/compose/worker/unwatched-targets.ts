import type { FollowUp } from '../../jobs/follow-up.ts';
import { sourceFailing, sourceResolved } from '../../jobs/payloads/sources/judge-source.ts';
import type { Schedule } from '../../model/watch/schedule.ts';
import type { WatchedTarget } from '../../model/watch/watched-target.ts';
import type { Schedule as Starts } from '../../workers/schedules.ts';
import type { Store } from '../store.ts';

const SHORTEST_MS = 250;
const LONGEST_MS = 60_000;

/**
 * Looks for targets whose source could not be read for too long, which are then alerts; and for schedules that were removed, whose
 * alerts are resolved before they are forgotten. `unwatchedAfter`: in milliseconds.
 */
export function unwatchedTargets({ schedules }: Pick<Store, 'schedules'>, unwatchedAfter: number): Starts {
  return {
    name: 'unwatched-targets',
    everyMs: Math.round(Math.min(LONGEST_MS, Math.max(SHORTEST_MS, unwatchedAfter / 4))),
    async start(due) {
      const byName = new Map((await schedules.list()).map((one) => [one.name, one]));
      const next: FollowUp[] = [];
      const used = new Set<string>();
      for (const { schedule: name, target } of await schedules.failing()) {
        const entry = await schedules.target(name, target);
        if (entry?.failing === undefined) continue;
        used.add(name);
        const verdict = verdictOn(byName.get(name), entry, { due, unwatchedAfter });
        if (verdict !== undefined) next.push(verdict);
      }
      for (const { name, removed } of byName.values()) {
        if (removed === true && !used.has(name)) await schedules.forget(name);
      }
      return next;
    },
  };
}

function verdictOn(
  schedule: Schedule | undefined,
  entry: WatchedTarget,
  { due, unwatchedAfter }: { readonly due: Date; readonly unwatchedAfter: number },
): FollowUp | undefined {
  if (schedule === undefined || entry.failing === undefined) return undefined;
  if (schedule.removed === true) return sourceResolved('dropped', schedule.name, entry, due.toISOString());
  const isOverdue = due.getTime() - Date.parse(entry.failing.since) >= unwatchedAfter;
  return isOverdue && !schedule.paused ? sourceFailing(schedule.name, entry, due.toISOString()) : undefined;
}
