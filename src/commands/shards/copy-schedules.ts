import type { Keys } from '../../store/keys.ts';
import { failingField, parseFailingField } from '../../store/outcomes/watch-steps.ts';
import { copyKey, type Move, scanHash } from './shard-sets.ts';

/**
 * Copies schedules to all shards, and what is stored about each of their targets to the shard of the target. The history of runs is
 * that of the first shard.
 */
export async function copySchedules(move: Move): Promise<void> {
  const { redis, sources, staged, destination, onProgress } = move;
  for (const [index, source] of sources.entries()) {
    onProgress('copying schedules', index, sources.length);
    for await (const schedules of scanHash(redis, source.schedules)) {
      for (const [name, text] of schedules) {
        for (const keys of staged) await redis.hset(keys.schedules, name, text);
        await copyWatched(move, source, name);
      }
    }
    for (const field of await redis.smembers(source.failingTargets)) {
      const { schedule, target } = parseFailingField(field);
      await redis.sadd(destination(target).failingTargets, failingField(schedule, target));
    }
  }
  await copyHistory(move);
}

async function copyWatched({ redis, destination }: Move, source: Keys, name: string): Promise<void> {
  for (const kind of ['openTargets', 'watchedTargets', 'sourceReadings'] as const) {
    for await (const entries of scanHash(redis, source[kind](name))) {
      for (const [target, value] of entries) {
        await redis.hset(destination(target)[kind](name), target, value);
      }
    }
  }
}

/** Runs of schedules, the times of the last refreshes, and by which settings the targets were judged. */
async function copyHistory({ redis, sources, staged }: Move): Promise<void> {
  const [source, first] = [sources[0] as Keys, staged[0] as Keys];
  for (const name of await redis.hkeys(source.schedules)) {
    await copyKey(redis, source.scheduleRuns(name), first.scheduleRuns(name));
    await copyKey(redis, source.scheduleCounts(name), first.scheduleCounts(name));
  }
  for await (const entries of scanHash(redis, source.refreshes)) {
    for (const [cadence, record] of entries) {
      for (const keys of staged) await redis.hset(keys.refreshes, cadence, record);
    }
  }
  for (const name of ['judgedSettings', 'judgedRouting', 'judgedSuppressions'] as const) {
    const values = await Promise.all(sources.map((keys) => redis.get(keys[name])));
    const [value] = values;
    // Where the shards differ, the workers judge all targets again.
    if (value == null || values.some((other) => other !== value)) continue;
    for (const keys of staged) await redis.set(keys[name], value);
  }
}
