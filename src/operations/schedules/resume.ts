import type { Operation } from '../operation.ts';
import { changeableSchedule, shownSchedule, storeSchedule } from './schedules.ts';

/** Lets a paused schedule run again: at the next of its times, or now when it has an interval. */
export const resume: Operation<'lockhound.schedules.resume'> = async ({ params, principal }, { fleet }) => {
  const changed = { ...(await changeableSchedule(fleet, principal, params.schedule)), paused: false };
  await storeSchedule(fleet, changed);
  return await shownSchedule(fleet, changed);
};
