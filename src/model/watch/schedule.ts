import { z } from 'zod';
import type { ValueOf } from '../stored/value-of.ts';
import { sourceSchema } from './source.ts';

/** A source that is read at regular times. */
export type Schedule = ValueOf<typeof scheduleSchema>;

export const scheduleSchema = z.object({
  name: z.string(),
  source: sourceSchema(),
  /** Id of the target, or a template for several. */
  target: z.string().exactOptional(),
  labels: z.record(z.string(), z.string()),
  /** The times at which the schedule is due. */
  times: z.union([
    /** Milliseconds between two runs. */
    z.object({ everyMs: z.number() }),
    z.object({ cron: z.string(), timeZone: z.string() }),
  ]),
  /** Each run is delayed by a random time up to this, in milliseconds. */
  jitterMs: z.number(),
  /** Schedules of the configuration cannot be removed by a command. */
  origin: z.enum(['configuration', 'command']),
  paused: z.boolean(),
  /** Whether it was removed. It then has no more runs, and disappears when nothing refers to it any more. */
  removed: z.boolean().exactOptional(),
});
