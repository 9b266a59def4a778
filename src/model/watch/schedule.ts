import { z } from 'zod';
import type { ValueOf } from '../stored/kind.ts';
import type { SourceReading } from './source.ts';
import { sourceSchema, targetSourceSchema } from './source.ts';

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

/** A target of a schedule after its last reading. */
export type WatchedTarget = ValueOf<typeof watchedTargetSchema>;

export const watchedTargetSchema = z.object({
  target: z.object({ id: z.string(), labels: z.record(z.string(), z.string()) }),
  source: targetSourceSchema(),
  /** Hash of the source of the schedule that named it. */
  definition: z.string(),
  /** The run that read it last, and when that was due. */
  run: z.string(),
  due: z.string(),
  /** RFC 3339. */
  at: z.string(),
  ending: z.enum(['scanned', 'unchanged', 'failed']),
  /** Id of the last scan that the schedule requested. */
  scan: z.string().exactOptional(),
  /** When it was last read without a fault. */
  readAt: z.string().exactOptional(),
  /** The fault; present while the source cannot be read. */
  failing: z.object({ since: z.string(), code: z.string(), reason: z.string() }).exactOptional(),
});

/** A target of a run whose source is not read yet. */
export type OpenTarget = ValueOf<typeof openTargetSchema>;

export const openTargetSchema = z.object({
  run: z.string(),
  source: targetSourceSchema(),
  /** Hash of the source of the schedule. */
  definition: z.string(),
});

/** Changes of the records of a schedule that a job saves together with its outcome. */
export type WatchUpdate =
  | {
      readonly kind: 'run';
      readonly schedule: string;
      readonly run: ScheduleRun;
      /** Targets that the run reads; it is over when all of them ended. */
      readonly open: ReadonlyMap<string, OpenTarget>;
      /** Runs that are forgotten. */
      readonly forgotten: readonly string[];
      /** Targets that the schedule no longer names. */
      readonly dropped: readonly string[];
    }
  | {
      readonly kind: 'reading';
      readonly schedule: string;
      readonly run: string;
      readonly target: string;
      readonly ending: ReadingEnding;
      /** RFC 3339. */
      readonly at: string;
      readonly entry: WatchedTarget;
      /** The reading; absent when it did not change. */
      readonly reading?: SourceReading;
    }
  | { readonly kind: 'dropped'; readonly schedule: string; readonly target: string };

/** The claim that the run which started last has. */
export function startClaim(schedule: string): string {
  return `schedule-${schedule}`;
}
