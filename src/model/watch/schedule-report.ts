import type { Schedule } from './schedule.ts';
import type { ScheduleRunReport } from './schedule-run.ts';
import type { WatchedTarget } from './watched-target.ts';

/** A schedule with its state. */
export interface ScheduleReport {
  readonly schedule: Schedule;
  /** RFC 3339; absent while it is paused, or when no worker has started it yet. */
  readonly nextRun?: string;
  readonly lastRun?: ScheduleRunReport;
  /** Targets that were read at some time. */
  readonly targets: number;
  /** Targets whose sources cannot be read. */
  readonly failing: number;
  /** Targets that the current run has not read yet. */
  readonly open: number;
}

/** A schedule with its last runs, newest first, and its targets, those that cannot be read first. */
export interface ScheduleDetails extends ScheduleReport {
  readonly runs: readonly ScheduleRunReport[];
  readonly watched: readonly WatchedTarget[];
}
