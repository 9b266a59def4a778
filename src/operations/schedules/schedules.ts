import type { Store } from '../../compose/store.ts';
import { startName, startsOf } from '../../compose/worker/watch.ts';
import { type FollowUp, jobIdOf } from '../../jobs/job.ts';
import type { Schedule, ScheduleRunReport } from '../../model/watch/schedule.ts';
import { nextStart, putSchedule, SCHEDULES_QUEUE } from '../../workers/schedules.ts';
import { firstShard, notFound, type OperationContext, requireWholeFleet } from '../context.ts';
import type { Principal } from '../principal.ts';

type Fleet = OperationContext['fleet'];

/** Whether a caller may see a schedule, which names sources of all its targets. */
export function isSeen({ target }: Schedule, { sees, seesAll }: Principal): boolean {
  return seesAll || (target !== undefined && !target.includes('$') && sees(target));
}

/** A schedule that the caller may see. Another one takes the same time as none. Throws `Refusal`. */
export async function findSchedule(fleet: Fleet, principal: Principal, name: string): Promise<Schedule> {
  const found = await firstShard(fleet).schedules.find(name);
  if (found !== undefined && found.removed !== true && isSeen(found, principal)) return found;
  throw notFound(`there is no schedule ${name}: see \`lockhound schedules\``);
}

/** A schedule that the caller may change. Throws `Refusal`. */
export async function changeableSchedule(
  fleet: Fleet,
  principal: Principal,
  name: string,
): Promise<Schedule> {
  requireWholeFleet(principal);
  return await findSchedule(fleet, principal, name);
}

/** Stores a schedule in every shard: each runs it for its own targets. */
export async function storeSchedule(fleet: Fleet, schedule: Schedule): Promise<void> {
  for (const shard of fleet.shards) {
    await shard.schedules.put(schedule);
    const starts = await fleet.queueOf(shard, SCHEDULES_QUEUE);
    const { name, paused, removed } = schedule;
    if (paused || removed === true) await starts.removeJobScheduler(startName(name));
    else await putSchedule(starts, startsOf(schedule));
  }
}

/** Puts a job on its queue in a shard. */
export async function enqueueIn(
  fleet: Fleet,
  shard: Store,
  { job, version, key, payload }: FollowUp,
): Promise<void> {
  const queue = await fleet.queueOf(shard, job);
  await queue.add(job, { version, key, payload }, { jobId: jobIdOf(job, key) });
}

/** A schedule with its state in all shards. */
export async function shownSchedule(fleet: Fleet, schedule: Schedule) {
  const { times, removed: _removed, ...own } = schedule;
  const { name, paused } = schedule;
  const parts = await Promise.all(
    fleet.shards.map(async (shard) => {
      const { schedules } = shard;
      const starts = await fleet.queueOf(shard, SCHEDULES_QUEUE);
      return {
        runs: await schedules.runs(name),
        targets: await schedules.countTargets(name),
        failing: (await schedules.failing()).filter((one) => one.schedule === name).length,
        open: await schedules.countOpen(name),
        next: await nextStart(starts, startName(name)),
      };
    }),
  );
  const sum = (of: 'targets' | 'failing' | 'open') => parts.reduce((total, part) => total + part[of], 0);
  const [next] = parts.flatMap((part) => part.next ?? []).sort((left, right) => left - right);
  const [lastRun] = parts.flatMap(({ runs }) => runs[0] ?? []).sort(newestFirst);
  return {
    ...own,
    ...times,
    ...(next === undefined || paused ? {} : { nextRun: new Date(next).toISOString() }),
    ...(lastRun === undefined ? {} : { lastRun }),
    targets: sum('targets'),
    failing: sum('failing'),
    open: sum('open'),
  };
}

export function newestFirst(left: ScheduleRunReport, right: ScheduleRunReport): number {
  return left.run > right.run ? -1 : 1;
}
