import { z } from 'zod';
import { lazily } from '../../../model/lazily.ts';
import { type FollowUp, followUp } from '../../follow-up.ts';
import type { JobType } from '../../job-type.ts';
import { timestamp } from '../fields.ts';

/** Short, because it is a part of ids of scans. */
export const scheduleName = () =>
  z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9_-]{0,39}$/, 'expected letters, digits, `_` and `-`, beginning with a letter');

const schema = lazily(() =>
  z.strictObject({ schedule: scheduleName(), due: timestamp(), trigger: z.enum(['schedule', 'command']) }),
);

export type RunSchedule = z.infer<ReturnType<typeof schema>>;

/** Starts a run of a schedule: one reading for each of its targets. */
export const RUN_SCHEDULE: JobType<RunSchedule> = {
  name: 'run-schedule',
  version: 1,
  schema,
  key: (payload) => `${payload.schedule}.${runOf(payload)}`,
};

/** The id of a run; ids sort by time. */
export function runOf({ due, trigger }: Pick<RunSchedule, 'due' | 'trigger'>): string {
  const time = new Date(due).toISOString().replaceAll(/[^\dTZ]/g, '');
  return trigger === 'command' ? `${time}-command` : time;
}

/** The run of a due time. */
export function runDue(schedule: string, due: Date): FollowUp {
  return followUp(RUN_SCHEDULE, { schedule, due: due.toISOString(), trigger: 'schedule' });
}
