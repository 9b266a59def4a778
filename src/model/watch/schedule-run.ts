import { z } from 'zod';
import type { ValueOf } from '../stored/value-of.ts';

/** A run of a schedule as it began. */
export type ScheduleRun = ValueOf<typeof scheduleRunSchema>;

export const scheduleRunSchema = z.object({
  /** Sorts by time. */
  run: z.string(),
  /** RFC 3339: when it was due, and when it began. */
  due: z.string(),
  startedAt: z.string(),
  /** The cause of the run. */
  trigger: z.enum(['schedule', 'command']),
  /** `skipped`: another run was not finished. `failed`: its targets could not be listed. */
  state: z.enum(['started', 'skipped', 'failed']),
  /** Number of its targets. */
  targets: z.number(),
  /** Why it was skipped or failed. */
  reason: z.string().exactOptional(),
});

/** How the reading of one target ended. `scanned`: its lockfiles are scanned. `unchanged`: the source has not changed. */
export type ReadingEnding = (typeof READING_ENDINGS)[number];

export const READING_ENDINGS = ['scanned', 'unchanged', 'failed'] as const;

/** A run with how its readings ended so far. */
export interface ScheduleRunReport extends ScheduleRun {
  readonly endings: Readonly<Partial<Record<ReadingEnding, number>>>;
  /** RFC 3339: when the last target so far ended. */
  readonly lastEndedAt?: string;
}
