import { firstShard } from '../context.ts';
import type { Operation } from '../operation.ts';
import { isSeen, shownSchedule } from './schedules.ts';

/** The schedules that the caller may see, with their last and next runs. */
export const list: Operation<'lockhound.schedules.list'> = async ({ principal }, { fleet }) => {
  const all = await firstShard(fleet).schedules.list();
  const seen = all.filter((one) => one.removed !== true && isSeen(one, principal));
  return { schedules: await Promise.all(seen.map((one) => shownSchedule(fleet, one))) };
};
