import { createHash } from 'node:crypto';
import { z } from 'zod';
import { lazily } from '../../../model/lazily.ts';
import type { ValueOf } from '../../../model/stored/value-of.ts';
import type { JobType } from '../../job-type.ts';
import { targetSchema, timestamp } from '../fields.ts';
import { scheduleName } from './run-schedule.ts';

const schema = lazily(() =>
  z.strictObject({
    schedule: scheduleName(),
    run: z.string().regex(/^[\dTZ]{1,30}(?:-command)?$/),
    due: timestamp(),
    target: targetSchema(),
  }),
);

export type ReadSource = ValueOf<ReturnType<typeof schema>>;

/** Reads the lockfiles of one target of a schedule. */
export const READ_SOURCE: JobType<ReadSource> = {
  name: 'read-source',
  version: 1,
  schema,
  key: keyOf,
};

function keyOf({ schedule, run, target }: ReadSource): string {
  const hash = createHash('sha256').update(target.id).digest('hex').slice(0, 12);
  return `${schedule}.${run}.${hash}`;
}
