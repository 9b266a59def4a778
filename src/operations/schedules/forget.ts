import { sourceResolved } from '../../jobs/payloads/sources.ts';
import { notFound } from '../context.ts';
import type { Operation } from '../operation.ts';
import { changeableSchedule, enqueueIn } from './schedules.ts';

/** Forgets a target that no longer exists. A run that finds it again reads it as a new one. */
export const forget: Operation<'lockhound.schedules.forget'> = async (
  { params: { schedule, target }, principal },
  { fleet },
) => {
  const { name } = await changeableSchedule(fleet, principal, schedule);
  for (const shard of fleet.shards) {
    const entry = await shard.schedules.target(name, target);
    if (entry === undefined) continue;
    await enqueueIn(fleet, shard, sourceResolved('dropped', name, entry, new Date().toISOString()));
    return {};
  }
  throw notFound(`schedule ${name} has no target ${target}: see \`lockhound schedules get ${name}\``);
};
