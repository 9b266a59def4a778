import { followUp } from '../../jobs/job.ts';
import { RUN_SCHEDULE } from '../../jobs/payloads/sources.ts';
import type { Operation } from '../operation.ts';
import { changeableSchedule, enqueueIn } from './schedules.ts';

/** Starts a run now, also of a paused schedule. */
export const run: Operation<'lockhound.schedules.run'> = async ({ params, principal }, { fleet }) => {
  const { name } = await changeableSchedule(fleet, principal, params.schedule);
  const due = new Date().toISOString();
  const job = followUp(RUN_SCHEDULE, { schedule: name, due, trigger: 'command' });
  for (const shard of fleet.shards) await enqueueIn(fleet, shard, job);
  return {};
};
