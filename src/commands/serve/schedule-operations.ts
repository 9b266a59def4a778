import type { Schedule } from '../../model/watch/schedule.ts';
import type { ScheduleReport } from '../../model/watch/schedule-report.ts';
import type { WatchedTarget } from '../../model/watch/watched-target.ts';
import { requireWholeFleet } from '../../operations/context.ts';
import type { Principal } from '../../operations/principal.ts';
import type { HttpOperations } from '../../server/api/http-operation.ts';
import { administerSchedules } from '../schedules.ts';
import type { ServeContext } from './serve-context.ts';

type Own = `lockhound.schedules.${'list' | 'get' | 'add' | 'remove' | 'pause' | 'resume' | 'run'}`;

export function scheduleOperations({ shared }: Pick<ServeContext, 'shared'>): Pick<HttpOperations, Own> {
  const admin = administerSchedules(shared);
  const shown = async (name: string) => shownSchedule(await admin.show(name));
  return {
    async 'lockhound.schedules.list'({ principal }) {
      const all = await admin.list();
      return { schedules: all.filter(({ schedule }) => isSeen(schedule, principal)).map(shownSchedule) };
    },
    async 'lockhound.schedules.get'({ params, principal }) {
      const { runs, watched, ...report } = await admin.show(params.schedule, (schedule) =>
        isSeen(schedule, principal),
      );
      const seen = watched.filter(({ target }) => principal.sees(target.id));
      return { schedule: shownSchedule(report), runs, watched: seen.map(shownTarget) };
    },
    async 'lockhound.schedules.add'({ params, body, principal }) {
      requireWholeFleet(principal);
      const { name } = await admin.add(body, { replace: params.replace === true });
      return await shown(name);
    },
    async 'lockhound.schedules.remove'({ params, principal }) {
      requireWholeFleet(principal);
      await admin.remove(params.schedule);
      return {};
    },
    async 'lockhound.schedules.pause'({ params, principal }) {
      requireWholeFleet(principal);
      await admin.pause(params.schedule);
      return await shown(params.schedule);
    },
    async 'lockhound.schedules.resume'({ params, principal }) {
      requireWholeFleet(principal);
      await admin.resume(params.schedule);
      return await shown(params.schedule);
    },
    async 'lockhound.schedules.run'({ params, principal }) {
      requireWholeFleet(principal);
      await admin.run(params.schedule);
      return {};
    },
  };
}

/** A schedule names sources of all its targets. */
function isSeen({ target }: Schedule, { sees, seesAll }: Principal): boolean {
  return seesAll || (target !== undefined && !target.includes('$') && sees(target));
}

function shownSchedule({ schedule, nextRun, lastRun, targets, failing, open }: ScheduleReport) {
  const { times, removed: _removed, ...own } = schedule;
  const next = nextRun === undefined ? {} : { nextRun };
  const last = lastRun === undefined ? {} : { lastRun };
  return { ...own, ...times, ...next, ...last, targets, failing, open };
}

function shownTarget({ target, definition: _hash, ...own }: WatchedTarget) {
  return { ...own, target: target.id, labels: target.labels };
}
