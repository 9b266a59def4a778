import { defined } from '../model/defined.ts';
import {
  OPEN_TARGET,
  SCHEDULE,
  SCHEDULE_RUN,
  SOURCE_READING,
  WATCHED_TARGET,
} from '../model/stored/catalog.ts';
import type { StoredKind } from '../model/stored/kind.ts';
import type { ReadingEnding, Schedule, ScheduleRunReport, WatchedTarget } from '../model/watch/schedule.ts';
import { READING_ENDINGS, startClaim, type WatchUpdate } from '../model/watch/schedule.ts';
import type { Keys } from './keys.ts';
import {
  countField,
  failingField,
  LAST_ENDING,
  parseFailingField,
  watchSteps,
} from './outcomes/watch-steps.ts';
import type { RedisClient } from './redis/connection.ts';
import { createHashValues } from './values/hash-values.ts';
import type { OnUnreadable } from './values/stored-values.ts';

/** Schedules, their runs and their targets. Runs and readings are written together with outcomes (`outcomes.ts`). */
export function createScheduleStore(redis: RedisClient, keys: Keys, onUnreadable?: OnUnreadable) {
  const schedules = createHashValues(redis, SCHEDULE, {
    key: keys.schedules,
    remedy: (name) => `Remove the schedule: \`lockhound schedules remove ${name}\`, and add it again.`,
    onUnreadable,
  });
  const valuesOf = <Value extends object>(kind: StoredKind<Value>, key: string, remedy: string) =>
    createHashValues(redis, kind, { key, remedy: `Delete the field: ${remedy}.`, onUnreadable });
  const runs = (schedule: string) =>
    valuesOf(SCHEDULE_RUN, keys.scheduleRuns(schedule), 'this run is then forgotten');
  const targets = (schedule: string) =>
    valuesOf(WATCHED_TARGET, keys.watchedTargets(schedule), 'the next run reads the target as a new one');
  return {
    /** Sorted by name, with removed ones. One that cannot be read is reported and left out. */
    list: async (): Promise<readonly Schedule[]> => inOrder(await schedules.all()),
    /** Throws `state-corrupt` or `state-newer`. */
    find: schedules.find,
    put: (schedule: Schedule) => schedules.put(schedule.name, schedule),
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
      const [found, counts] = await Promise.all([
        runs(schedule).all(),
        redis.hgetall(keys.scheduleCounts(schedule)),
      ]);
      return inOrder(found)
        .reverse()
        .map((run) => ({ ...run, ...endingsOf(run.run, counts) }));
    },
    /** The run that started last: it has the claim of the schedule. */
    lastStarted: async (schedule: string) => (await redis.get(keys.claim(startClaim(schedule)))) ?? undefined,
    /** Number of targets that the current run has not read yet; 0 when no run is under way. */
    countOpen: (schedule: string) => redis.hlen(keys.openTargets(schedule)),
    /** A target that the current run has not read yet. Throws `state-corrupt` or `state-newer`. */
    openTarget: (schedule: string, target: string) =>
      valuesOf(OPEN_TARGET, keys.openTargets(schedule), 'the next run reads the target').find(target),
    /** Number of targets that were read at some time. */
    countTargets: (schedule: string) => redis.hlen(keys.watchedTargets(schedule)),
    /** Sorted by id. */
    targets: async (schedule: string): Promise<readonly WatchedTarget[]> =>
      inOrder(await targets(schedule).all()),
    /** Throws `state-corrupt` or `state-newer`. */
    target: (schedule: string, target: string) => targets(schedule).find(target),
    /** Returns the last reading. A value that cannot be read is reported, and the source is read again. */
    reading: (schedule: string, target: string) =>
      valuesOf(SOURCE_READING, keys.sourceReadings(schedule), 'the next run reads the source again').read(
        target,
      ),
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

function inOrder<Value>(entries: readonly (readonly [name: string, value: Value])[]): Value[] {
  return entries.toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([, value]) => value);
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
