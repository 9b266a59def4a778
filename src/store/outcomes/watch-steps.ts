import { OPEN_TARGET, SCHEDULE_RUN, SOURCE_READING, WATCHED_TARGET } from '../../model/stored/catalog.ts';
import type { WatchUpdate } from '../../model/watch/schedule.ts';
import { chunks } from '../../model/yielding.ts';
import type { Keys } from '../keys.ts';
import type { OutcomeStep } from '../scripts/save-outcome.lua.ts';
import { writeLargeValue, writeText } from '../values/stored-values.ts';

/** Members in one command: Lua passes a few thousand arguments at most. */
const CHUNK = 1_000;

/** The commands of an update. Each is a command of Redis on one key. */
export async function watchSteps(keys: Keys, update: WatchUpdate): Promise<readonly OutcomeStep[]> {
  switch (update.kind) {
    case 'run':
      return runSteps(keys, update);
    case 'reading':
      return await readingSteps(keys, update);
    case 'dropped':
      return dropSteps(keys, update.schedule, [update.target]);
  }
}

/** The field of `failingTargets`. */
export function failingField(schedule: string, target: string): string {
  return JSON.stringify([schedule, target]);
}

export function parseFailingField(field: string): { readonly schedule: string; readonly target: string } {
  const [schedule = '', target = ''] = JSON.parse(field) as string[];
  return { schedule, target };
}

/** The field of `scheduleCounts` with the time of the last ending, in RFC 3339. */
export const LAST_ENDING = 'at';

export function countField(run: string, name: string): string {
  return `${run} ${name}`;
}

function runSteps(keys: Keys, update: Extract<WatchUpdate, { kind: 'run' }>): readonly OutcomeStep[] {
  const { schedule, run, open, forgotten, dropped } = update;
  const runs = keys.scheduleRuns(schedule);
  const openTargets = keys.openTargets(schedule);
  const counts = forgotten.flatMap((one) => COUNTED.map((name) => countField(one, name)));
  return [
    { name: 'HSET', keys: [runs], values: [run.run, writeText(SCHEDULE_RUN, run)] },
    // Targets of an abandoned run.
    ...(run.state === 'started' ? [{ name: 'DEL', keys: [openTargets], values: [] }] : []),
    ...members(
      'HSET',
      openTargets,
      [...open].flatMap(([target, one]) => [target, writeText(OPEN_TARGET, one)]),
    ),
    ...members('HDEL', runs, forgotten),
    ...members('HDEL', keys.scheduleCounts(schedule), counts),
    ...dropSteps(keys, schedule, dropped),
  ];
}

/** Everything that is counted under a run. */
export const COUNTED = ['scanned', 'unchanged', 'failed', LAST_ENDING] as const;

async function readingSteps(
  keys: Keys,
  update: Extract<WatchUpdate, { kind: 'reading' }>,
): Promise<readonly OutcomeStep[]> {
  const { schedule, run, target, ending, at, entry, reading } = update;
  const counts = keys.scheduleCounts(schedule);
  const field = failingField(schedule, target);
  const steps: OutcomeStep[] = [
    { name: 'HDEL', keys: [keys.openTargets(schedule)], values: [target] },
    { name: 'HINCRBY', keys: [counts], values: [countField(run, ending), 1] },
    { name: 'HSET', keys: [counts], values: [countField(run, LAST_ENDING), at] },
    {
      name: 'HSET',
      keys: [keys.watchedTargets(schedule)],
      values: [target, writeText(WATCHED_TARGET, entry)],
    },
    { name: entry.failing === undefined ? 'SREM' : 'SADD', keys: [keys.failingTargets], values: [field] },
  ];
  if (reading !== undefined) {
    const values = [target, await writeLargeValue(SOURCE_READING, reading)];
    steps.push({ name: 'HSET', keys: [keys.sourceReadings(schedule)], values });
  }
  return steps;
}

function dropSteps(keys: Keys, schedule: string, targets: readonly string[]): readonly OutcomeStep[] {
  return [
    ...members('HDEL', keys.watchedTargets(schedule), targets),
    ...members('HDEL', keys.sourceReadings(schedule), targets),
    ...members(
      'SREM',
      keys.failingTargets,
      targets.map((target) => failingField(schedule, target)),
    ),
  ];
}

function members(name: string, key: string, all: readonly string[]): readonly OutcomeStep[] {
  return chunks(all, CHUNK).map((values) => ({ name, keys: [key], values }));
}
