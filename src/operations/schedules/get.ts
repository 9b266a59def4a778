import type { WatchedTarget } from '../../model/watch/schedule.ts';
import type { Operation } from '../operation.ts';
import { findSchedule, newestFirst, shownSchedule } from './schedules.ts';

/** A schedule with its runs and those of its targets that the caller may see. */
export const get: Operation<'lockhound.schedules.get'> = async ({ params, principal }, { fleet }) => {
  const found = await findSchedule(fleet, principal, params.schedule);
  const parts = await Promise.all(
    fleet.shards.map(async ({ schedules }) => ({
      runs: await schedules.runs(found.name),
      watched: await schedules.targets(found.name),
    })),
  );
  return {
    schedule: await shownSchedule(fleet, found),
    runs: parts.flatMap(({ runs }) => runs).toSorted(newestFirst),
    watched: parts
      .flatMap(({ watched }) => watched)
      .filter(({ target }) => principal.sees(target.id))
      .toSorted((left, right) => (left.target.id < right.target.id ? -1 : 1))
      .toSorted((left, right) => Number(isFine(left)) - Number(isFine(right)))
      .map(({ target: { id, labels }, definition: _hash, ...own }) => ({ ...own, target: id, labels })),
  };
};

function isFine({ failing }: WatchedTarget): boolean {
  return failing === undefined;
}
