import type { Operation } from '../operation.ts';
import { Refusal } from '../refusal.ts';
import { changeableSchedule, storeSchedule } from './schedules.ts';

/** Removes a schedule. Workers resolve the findings about its sources. */
export const remove: Operation<'lockhound.schedules.remove'> = async (
  { params: { schedule: name }, principal },
  { fleet },
) => {
  const found = await changeableSchedule(fleet, principal, name);
  if (found.origin === 'configuration') {
    const remedy = 'remove it there and restart the workers, or pause it';
    throw new Refusal(409, 'configured', `schedule ${name} is part of the configuration: ${remedy}`);
  }
  await storeSchedule(fleet, { ...found, removed: true });
  return {};
};
