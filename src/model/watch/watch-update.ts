import type { OpenTarget } from './open-target.ts';
import type { ReadingEnding, ScheduleRun } from './schedule-run.ts';
import type { SourceReading } from './source-reading.ts';
import type { WatchedTarget } from './watched-target.ts';

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
