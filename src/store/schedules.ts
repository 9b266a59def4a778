import { defined } from '../model/defined.ts';
import {
  OPEN_TARGET,
  SCHEDULE,
  SCHEDULE_RUN,
  SOURCE_READING,
  WATCHED_TARGET,
} from '../model/stored/catalog.ts';
import type { OpenTarget } from '../model/watch/open-target.ts';
import type { Schedule } from '../model/watch/schedule.ts';
import type { ReadingEnding, ScheduleRunReport } from '../model/watch/schedule-run.ts';
import { READING_ENDINGS } from '../model/watch/schedule-run.ts';
import type { SourceReading } from '../model/watch/source-reading.ts';
import { startClaim, type WatchUpdate } from '../model/watch/watch-update.ts';
import type { WatchedTarget } from '../model/watch/watched-target.ts';
import type { Keys } from './keys.ts';
import {
  countField,
  failingField,
  LAST_ENDING,
  parseFailingField,
  watchSteps,
} from './outcomes/watch-steps.ts';
import type { RedisClient } from './redis/connection.ts';
import { type OnUnreadable, readEach, readValue, reportTo, writeText } from './values/stored-values.ts';

export type ScheduleStore = ReturnType<typeof createScheduleStore>;

/** Schedules, their runs and their targets. Runs and readings are written together with outcomes (`outcomes.ts`). */
export function createScheduleStore(redis: RedisClient, keys: Keys, onUnreadable: OnUnreadable = () => {}) {
  const readSchedule = (name: string, stored: string): Promise<Schedule> => {
    const remedy = `Remove the schedule: \`lockhound schedules remove ${name}\`, and add it again.`;
    return readValue(SCHEDULE, stored, { key: keys.schedules, field: name, remedy });
  };
  const readTarget = (schedule: string, target: string, stored: string): Promise<WatchedTarget> => {
    const remedy = 'Delete the field: the next run reads the target as a new one.';
    return readValue(WATCHED_TARGET, stored, { key: keys.watchedTargets(schedule), field: target, remedy });
  };
  return {
    /** Sorted by name, with removed ones. One that cannot be read is reported and left out. */
    async list(): Promise<readonly Schedule[]> {
      const stored = Object.entries(await redis.hgetall(keys.schedules));
      const found = await readEach(stored, ([name, text]) => readSchedule(name, text), onUnreadable);
      return found.toSorted((left, right) => (left.name < right.name ? -1 : 1));
    },
    /** Throws `state-corrupt` or `state-newer`. */
    async find(name: string): Promise<Schedule | undefined> {
      const stored = await redis.hget(keys.schedules, name);
      return stored === null ? undefined : await readSchedule(name, stored);
    },
    async put(schedule: Schedule): Promise<void> {
      await redis.hset(keys.schedules, schedule.name, writeText(SCHEDULE, schedule));
    },
    /** Forgets a schedule and all that is stored about it. */
    async forget(name: string): Promise<void> {
      const targets = await redis.hkeys(keys.watchedTargets(name));
      const failing = targets.map((target) => failingField(name, target));
      if (failing.length > 0) await redis.srem(keys.failingTargets, ...failing);
      await redis.unlink(
        ...[keys.scheduleRuns(name), keys.scheduleCounts(name), keys.openTargets(name)],
        ...[keys.watchedTargets(name), keys.sourceReadings(name), keys.claim(startClaim(name))],
      );
      await redis.hdel(keys.schedules, name);
    },
    /** Newest first. */
    async runs(schedule: string): Promise<readonly ScheduleRunReport[]> {
      const key = keys.scheduleRuns(schedule);
      const [stored, counts] = await Promise.all([
        redis.hgetall(key),
        redis.hgetall(keys.scheduleCounts(schedule)),
      ]);
      const remedy = 'Delete the field to forget this run.';
      const runs = await readEach(
        Object.entries(stored),
        ([field, text]) => readValue(SCHEDULE_RUN, text, { key, field, remedy }),
        onUnreadable,
      );
      return runs
        .toSorted((left, right) => (left.run > right.run ? -1 : 1))
        .map((run) => ({ ...run, ...endingsOf(run.run, counts) }));
    },
    /** The run that started last: it has the claim of the schedule. */
    lastStarted: async (schedule: string) => (await redis.get(keys.claim(startClaim(schedule)))) ?? undefined,
    /** Number of targets that the current run has not read yet; 0 when no run is under way. */
    countOpen: (schedule: string) => redis.hlen(keys.openTargets(schedule)),
    /** A target that the current run has not read yet. Throws `state-corrupt` or `state-newer`. */
    async openTarget(schedule: string, target: string): Promise<OpenTarget | undefined> {
      const key = keys.openTargets(schedule);
      const stored = await redis.hget(key, target);
      const remedy = 'Delete the field: the next run reads the target.';
      return stored === null
        ? undefined
        : await readValue(OPEN_TARGET, stored, { key, field: target, remedy });
    },
    /** Number of targets that were read at some time. */
    countTargets: (schedule: string) => redis.hlen(keys.watchedTargets(schedule)),
    /** Sorted by id. */
    async targets(schedule: string): Promise<readonly WatchedTarget[]> {
      const stored = Object.entries(await redis.hgetall(keys.watchedTargets(schedule)));
      const found = await readEach(stored, ([id, text]) => readTarget(schedule, id, text), onUnreadable);
      return found.toSorted((left, right) => (left.target.id < right.target.id ? -1 : 1));
    },
    /** Throws `state-corrupt` or `state-newer`. */
    async target(schedule: string, target: string): Promise<WatchedTarget | undefined> {
      const stored = await redis.hget(keys.watchedTargets(schedule), target);
      return stored === null ? undefined : await readTarget(schedule, target, stored);
    },
    /** Returns the last reading. A value that cannot be read is reported, and the source is read again. */
    async reading(schedule: string, target: string): Promise<SourceReading | undefined> {
      const key = keys.sourceReadings(schedule);
      const stored = await redis.hgetBuffer(key, target);
      if (stored === null) return undefined;
      const remedy = 'Delete the field: the next run reads the source again.';
      const place = { key, field: target, remedy };
      return await readValue(SOURCE_READING, stored, place).catch(reportTo(onUnreadable));
    },
    /** Targets whose sources cannot be read, sorted. */
    async failing(): Promise<readonly { readonly schedule: string; readonly target: string }[]> {
      return (await redis.smembers(keys.failingTargets)).sort().map(parseFailingField);
    },
    /** Applies an update without an outcome, for a reading that failed permanently. May be repeated. */
    async update(update: WatchUpdate): Promise<void> {
      const transaction = redis.multi();
      for (const {
        name,
        keys: [key = ''],
        values,
      } of await watchSteps(keys, update)) {
        transaction.call(name, key, ...values);
      }
      await transaction.exec();
    },
  };
}

function endingsOf(
  run: string,
  counts: Readonly<Record<string, string>>,
): Pick<ScheduleRunReport, 'endings' | 'lastEndedAt'> {
  const endings: Partial<Record<ReadingEnding, number>> = {};
  for (const ending of READING_ENDINGS) {
    const count = counts[countField(run, ending)];
    if (count !== undefined) endings[ending] = Number(count);
  }
  const lastEndedAt = counts[countField(run, LAST_ENDING)];
  return { endings, ...defined({ lastEndedAt }) };
}
