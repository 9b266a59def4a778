import type { Queue } from 'bullmq';
import type { Store } from '../compose/store.ts';
import { scheduleOf, startName, startsOf } from '../compose/worker/watch.ts';
import { ConfigError } from '../config/errors.ts';
import type { LoadedConfig } from '../config/load.ts';
import { type ScheduleConfig, schedule as scheduleSchema } from '../config/sections/watch.ts';
import { type FollowUp, followUp } from '../jobs/follow-up.ts';
import { jobIdOf } from '../jobs/job-id.ts';
import { JUDGE_SOURCE, sourceResolved } from '../jobs/payloads/sources/judge-source.ts';
import { RUN_SCHEDULE } from '../jobs/payloads/sources/run-schedule.ts';
import type { Schedule } from '../model/watch/schedule.ts';
import type { ScheduleDetails, ScheduleReport } from '../model/watch/schedule-report.ts';
import type { ScheduleRunReport } from '../model/watch/schedule-run.ts';
import { listTargets } from '../sources/target-list.ts';
import { putSchedule, SCHEDULES_QUEUE } from '../workers/schedules.ts';
import { ScheduleError } from './errors.ts';
import { openSharedStore, type SharedStore } from './shared-store.ts';

/** Administration of schedules. */
export type ScheduleAdmin = Awaited<ReturnType<typeof openScheduleAdmin>>;

/**
 * A schedule is stored in every shard, which runs it for its own targets. Throws `ConfigError` when `redis.url` is not set and
 * `StoreError` when Redis does not answer.
 */
export async function openScheduleAdmin(loaded: LoadedConfig) {
  return administerSchedules(await openSharedStore(loaded));
}

/** The same for a store that is open. `close` closes it. */
export function administerSchedules(shared: SharedStore) {
  const { shards: all, store, close } = shared;
  const shards = all.map(({ store: { schedules }, openQueue }) => ({
    schedules,
    starts: openQueue(SCHEDULES_QUEUE),
    openQueue,
  }));
  // The schedules of all shards are the same.
  const { schedules } = store;
  /** Throws `ScheduleError` (`not-found`). */
  const require = async (
    name: string,
    isSeen: (schedule: Schedule) => boolean = () => true,
  ): Promise<Schedule> => {
    const found = await schedules.find(name);
    if (found !== undefined && found.removed !== true && isSeen(found)) return found;
    throw new ScheduleError('not-found', `there is no schedule ${name}: see \`lockhound schedule list\``);
  };
  const put = async (schedule: Schedule): Promise<Schedule> => {
    for (const shard of shards) await putIn(shard, schedule);
    return schedule;
  };
  return {
    /**
     * Adds a schedule, written as in the configuration. One that replaces a paused one is paused. Throws `ConfigError`, `SourceError`
     * for a template that gives two sources one target, and `ScheduleError` (`exists`, also for a target that others scan).
     */
    async add(written: unknown, { replace }: { readonly replace: boolean }): Promise<Schedule> {
      const wanted = checked(written);
      const found = await schedules.find(wanted.name);
      const before = found?.removed === true ? undefined : found;
      if (before !== undefined) requireReplaceable(before, replace);
      if (!replace) await requireUnwatched(shared, wanted);
      const paused = before?.paused === true;
      return await put(scheduleOf(wanted, { origin: 'command', paused }));
    },
    async list(): Promise<readonly ScheduleReport[]> {
      const found = (await schedules.list()).filter(({ removed }) => removed !== true);
      return await Promise.all(found.map((one) => reportOf(shards, one)));
    },
    /** `isSeen`: whether the caller may see it. Another one takes the same time as none. Throws `ScheduleError` (`not-found`). */
    async show(name: string, isSeen: (schedule: Schedule) => boolean = () => true): Promise<ScheduleDetails> {
      const found = await require(name, isSeen);
      const runs = await Promise.all(shards.map((shard) => shard.schedules.runs(name)));
      const watched = (await Promise.all(shards.map((shard) => shard.schedules.targets(name)))).flat();
      return {
        ...(await reportOf(shards, found)),
        runs: runs.flat().toSorted(newestFirst),
        watched: watched
          .toSorted((left, right) => (left.target.id < right.target.id ? -1 : 1))
          .toSorted((left, right) => Number(isFine(left)) - Number(isFine(right))),
      };
    },
    /** Starts a run now, also of a paused schedule. */
    async run(name: string): Promise<void> {
      await require(name);
      const due = new Date().toISOString();
      const job = followUp(RUN_SCHEDULE, { schedule: name, due, trigger: 'command' });
      for (const { openQueue } of shards) await enqueue(openQueue(RUN_SCHEDULE.name), job);
    },
    pause: async (name: string) => put({ ...(await require(name)), paused: true }),
    /** Its next run is at the next of its times, or now for one with an interval. */
    resume: async (name: string) => put({ ...(await require(name)), paused: false }),
    /** Findings about its sources are resolved by the workers. Throws `ScheduleError` (`configured`). */
    async remove(name: string): Promise<void> {
      const found = await require(name);
      if (found.origin === 'configuration') {
        const remedy = 'remove it there and restart the workers, or pause it';
        throw new ScheduleError('configured', `schedule ${name} is part of the configuration: ${remedy}`);
      }
      await put({ ...found, removed: true });
    },
    /** Forgets a target that no longer exists; a run that finds it again reads it as a new one. */
    async forget(name: string, target: string): Promise<void> {
      await require(name);
      for (const shard of shards) {
        const entry = await shard.schedules.target(name, target);
        if (entry === undefined) continue;
        const dropped = sourceResolved('dropped', name, entry, new Date().toISOString());
        return await enqueue(shard.openQueue(JUDGE_SOURCE.name), dropped);
      }
      const advice = `see \`lockhound schedule show ${name}\``;
      throw new ScheduleError('not-found', `schedule ${name} has no target ${target}: ${advice}`);
    },
    close,
  };
}

interface Shard {
  readonly schedules: Store['schedules'];
  /** The queue of the starts of schedules. */
  readonly starts: Queue;
  openQueue(job: string): Queue;
}

async function putIn({ schedules, starts }: Shard, schedule: Schedule): Promise<void> {
  await schedules.put(schedule);
  const { name, paused, removed } = schedule;
  if (paused || removed === true) await starts.removeJobScheduler(startName(name));
  else await putSchedule(starts, startsOf(schedule));
}

async function reportOf(shards: readonly Shard[], schedule: Schedule): Promise<ScheduleReport> {
  const { name, paused } = schedule;
  const parts = await Promise.all(
    shards.map(async ({ schedules, starts }) => ({
      runs: await schedules.runs(name),
      targets: await schedules.countTargets(name),
      failing: (await schedules.failing()).filter((one) => one.schedule === name).length,
      open: await schedules.countOpen(name),
      next: (await starts.getJobScheduler(startName(name)))?.next,
    })),
  );
  const sum = (count: (part: (typeof parts)[number]) => number): number =>
    parts.reduce((total, part) => total + count(part), 0);
  const [next] = parts.flatMap((part) => part.next ?? []).sort((left, right) => left - right);
  const [lastRun] = parts.flatMap(({ runs }) => runs[0] ?? []).sort(newestFirst);
  return {
    schedule,
    ...(next === undefined || paused ? {} : { nextRun: new Date(next).toISOString() }),
    ...(lastRun === undefined ? {} : { lastRun }),
    targets: sum(({ targets }) => targets),
    failing: sum(({ failing }) => failing),
    open: sum(({ open }) => open),
  };
}

function newestFirst(left: ScheduleRunReport, right: ScheduleRunReport): number {
  return left.run > right.run ? -1 : 1;
}

function checked(written: unknown) {
  const parsed = scheduleSchema.safeParse(written);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) => `  ${path.join('.')}: ${message}`);
  throw new ConfigError('config-invalid', ['the schedule is not valid:', ...faults].join('\n'));
}

function requireReplaceable({ name, origin }: Schedule, replace: boolean): void {
  if (origin === 'configuration') {
    throw new ScheduleError('configured', `schedule ${name} is part of the configuration: change it there`);
  }
  if (!replace) throw new ScheduleError('exists', `there is a schedule ${name} already: add --replace`);
}

/** Throws `ScheduleError` (`exists`) when others scan a target of the schedule. Paths are on the workers, so theirs are not known here. */
async function requireUnwatched(shared: SharedStore, wanted: ScheduleConfig): Promise<void> {
  const { name, source } = wanted;
  if (source.kind === 'path' && source.targets !== 'all') return;
  for (const { target } of await listTargets(wanted, new AbortController().signal)) {
    const { fleet, schedules } = shared.of(target);
    const known = await fleet.summary(target);
    if (known === undefined || (await schedules.target(name, target)) !== undefined) continue;
    throw new ScheduleError(
      'exists',
      `target ${target} exists already: this schedule would replace its lockfiles. ` +
        'Choose another --target, or take it over with --replace',
    );
  }
}

async function enqueue(queue: Queue, { job, version, key, payload }: FollowUp): Promise<void> {
  await queue.add(job, { version, key, payload }, { jobId: jobIdOf(job, key) });
}

function isFine({ failing }: { readonly failing?: unknown }): boolean {
  return failing === undefined;
}
