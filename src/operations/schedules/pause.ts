import type { Operation } from '../operation.ts';
import { changeableSchedule, shownSchedule, storeSchedule } from './schedules.ts';

/** Stops the runs of a schedule until it is resumed. */
export const pause: Operation<'lockhound.schedules.pause'> = async ({ params, principal }, { fleet }) => {
  const changed = { ...(await changeableSchedule(fleet, principal, params.schedule)), paused: true };
  await storeSchedule(fleet, changed);
  return await shownSchedule(fleet, changed);
};
