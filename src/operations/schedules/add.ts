import { scheduleOf } from '../../compose/worker/watch.ts';
import { type ScheduleConfig, schedule as scheduleSchema } from '../../config/sections/watch.ts';
import type { Schedule } from '../../model/watch/schedule.ts';
import { listTargets } from '../../sources/target-list.ts';
import { firstShard, type OperationContext, requireWholeFleet } from '../context.ts';
import type { Operation } from '../operation.ts';
import { Refusal } from '../refusal.ts';
import { shownSchedule, storeSchedule } from './schedules.ts';

/**
 * Adds a schedule, written as in the configuration. One that replaces a paused one is paused. Throws `Refusal`, also for a target that
 * others scan, and `SourceError` for a template that gives two sources one target.
 */
export const add: Operation<'lockhound.schedules.add'> = async (
  { params: { replace = false }, body, principal, signal },
  { fleet },
) => {
  requireWholeFleet(principal);
  const wanted = checked(body);
  const found = await firstShard(fleet).schedules.find(wanted.name);
  const before = found?.removed === true ? undefined : found;
  if (before !== undefined) requireReplaceable(before, replace);
  if (!replace) await requireUnwatched(fleet, wanted, signal);
  const added = scheduleOf(wanted, { origin: 'command', paused: before?.paused === true });
  await storeSchedule(fleet, added);
  return await shownSchedule(fleet, added);
};

function checked(written: unknown): ScheduleConfig {
  const parsed = scheduleSchema.safeParse(written);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) => `  ${path.join('.')}: ${message}`);
  throw new Refusal(400, 'config-invalid', ['the schedule is not valid:', ...faults].join('\n'));
}

function requireReplaceable({ name, origin }: Schedule, replace: boolean): void {
  if (origin === 'configuration')
    throw new Refusal(409, 'configured', `schedule ${name} is part of the configuration: change it there`);
  if (!replace) throw new Refusal(409, 'exists', `there is a schedule ${name} already: add --replace`);
}

/** Throws `Refusal` when others scan a target of the schedule. */
async function requireUnwatched(
  fleet: OperationContext['fleet'],
  wanted: ScheduleConfig,
  signal: AbortSignal,
): Promise<void> {
  const { name } = wanted;
  for (const target of await namedTargets(wanted, signal)) {
    const shard = fleet.of(target);
    if ((await shard.fleet.summary(target)) === undefined) continue;
    if ((await shard.schedules.target(name, target)) !== undefined) continue;
    const detail =
      `target ${target} exists already: this schedule would replace its lockfiles. ` +
      'Choose another --target, or take it over with --replace';
    throw new Refusal(409, 'exists', detail);
  }
}

/** The ids of targets that the schedule names. Paths are matched by workers, so that a template with parts of a path names none here. */
async function namedTargets(wanted: ScheduleConfig, signal: AbortSignal): Promise<readonly string[]> {
  const { source, target = '$PATH' } = wanted;
  if (source.kind === 'path' && source.targets !== 'all') return target.includes('$') ? [] : [target];
  return (await listTargets(wanted, signal)).map((listed) => listed.target);
}
