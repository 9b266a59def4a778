import { CodedError } from '../../model/errors.ts';
import type { OpenTarget, Schedule, ScheduleRun, WatchedTarget } from '../../model/watch/schedule.ts';
import { startClaim } from '../../model/watch/schedule.ts';
import type { TargetSource } from '../../model/watch/source.ts';
import { followUp, type Job, type JobRun, type RunContext } from '../job.ts';
import { keyHash } from '../payloads/fields.ts';
import { RUN_SCHEDULE, type RunSchedule, runOf, sourceResolved } from '../payloads/sources.ts';
import type { Ports } from '../ports.ts';
import { readSource } from './read-source.ts';

type Needs = Pick<Ports, 'schedules' | 'sources'>;

type Result = Pick<ScheduleRun, 'state' | 'targets' | 'reason'>;

/** Runs of a schedule that are kept. */
const KEPT_RUNS = 20;
/** A run that is still open after this time no longer keeps others from starting. */
const ABANDONED_MS = 24 * 3_600_000;

/**
 * Starts a run of a schedule: lists its targets, and returns one `read-source` for each. While the targets of another run are
 * being read, the run is skipped. One that starts at the same time is seen by the claim: the second to be saved runs again.
 */
export const runSchedule: Job<RunSchedule, Result, keyof Needs> = {
  ...RUN_SCHEDULE,
  limits: { attempts: 5, backoffMs: 2_000, maxBackoffMs: 60_000, timeoutMs: 120_000, concurrency: 2 },
  async run(payload, { schedules, sources }, context) {
    const schedule = await schedules.find(payload.schedule);
    if (schedule === undefined || schedule.removed === true)
      return ended('skipped', 'the schedule was removed');
    if (schedule.paused && payload.trigger === 'schedule') return ended('skipped', 'the schedule is paused');
    const start: Start = {
      schedule,
      payload,
      now: new Date(context.startedAt).toISOString(),
      forgotten: (await schedules.runs(schedule.name)).slice(KEPT_RUNS - 1).map(({ run }) => run),
    };
    const before = await schedules.lastStarted(schedule.name);
    const busy = await openRun(schedules, schedule.name, context.startedAt);
    if (busy !== undefined) return recorded(start, { state: 'skipped', targets: 0, reason: busy });
    const known = await schedules.targets(schedule.name);
    const listed = await listTargets(sources, schedule, known, context);
    if ('reason' in listed) return recorded(start, { state: 'failed', targets: 0, reason: listed.reason });
    const run = begun(start, listed.targets, known);
    const claim = {
      name: startClaim(schedule.name),
      holder: runOf(payload),
      ttlMs: ABANDONED_MS,
      replaces: before,
    };
    return { ...run, fleet: { claim } };
  },
  log: ({ schedule }, { state, targets, reason }) => ({
    facts: { schedule, state, targets, reason },
    warning: state === 'started' ? undefined : `the run of schedule ${schedule} is ${state}: ${reason ?? ''}`,
  }),
  spent: 'own',
};

interface Start {
  readonly schedule: Schedule;
  readonly payload: RunSchedule;
  /** RFC 3339. */
  readonly now: string;
  readonly forgotten: readonly string[];
}

interface Listed {
  readonly target: string;
  readonly source: TargetSource;
}

/** Why no other run may start now; `undefined` when one may. */
async function openRun(
  schedules: Needs['schedules'],
  name: string,
  now: number,
): Promise<string | undefined> {
  const open = await schedules.countOpen(name);
  if (open === 0) return undefined;
  const current = (await schedules.runs(name)).find(({ state }) => state === 'started');
  if (current === undefined || now - Date.parse(current.startedAt) > ABANDONED_MS) return undefined;
  return `the run of ${current.startedAt} is not finished: ${open} of ${current.targets} targets are not read yet`;
}

/** The targets that the schedule names now, and those that it named before and that disappeared from this machine. */
async function listTargets(
  sources: Needs['sources'],
  schedule: Schedule,
  known: readonly WatchedTarget[],
  { signal, lastAttempt }: RunContext,
): Promise<{ readonly targets: readonly Listed[] } | { readonly reason: string }> {
  const definition = definitionOf(schedule);
  const isPath = schedule.source.kind === 'path';
  const before = isPath ? known.filter((one) => one.definition === definition) : [];
  try {
    const listed = await sources.list(schedule, signal);
    const names = new Set(listed.map(({ target }) => target));
    const gone = before.filter(({ target }) => !names.has(target.id));
    return { targets: [...listed, ...gone.map(listedBefore)] };
  } catch (error) {
    if (!(error instanceof CodedError) || (error.retryable && !lastAttempt)) throw error;
    // Each of them then says so itself.
    return before.length === 0 ? { reason: error.message } : { targets: before.map(listedBefore) };
  }
}

function listedBefore({ target, source }: WatchedTarget): Listed {
  return { target: target.id, source };
}

function begun(start: Start, targets: readonly Listed[], known: readonly WatchedTarget[]): JobRun<Result> {
  const { schedule, payload, now } = start;
  const { name, labels } = schedule;
  const run = runOf(payload);
  const names = new Set(targets.map(({ target }) => target));
  const dropped = known.filter(({ target }) => !names.has(target.id));
  const definition = definitionOf(schedule);
  const readings = targets.map(({ target: id }) =>
    followUp(readSource, {
      schedule: name,
      run,
      due: payload.due,
      target: { id, labels: { ...labels } },
    }),
  );
  const failing = dropped.filter((one) => one.failing !== undefined);
  return recorded(
    start,
    { state: 'started', targets: targets.length },
    {
      open: new Map(targets.map(({ target, source }) => [target, { run, source, definition }])),
      // Those that may have an open finding are dropped with the verdict that resolves it.
      dropped: dropped.filter((one) => one.failing === undefined).map(({ target }) => target.id),
      next: [...readings, ...failing.map((one) => sourceResolved('dropped', name, one, now))],
    },
  );
}

function recorded(
  { schedule, payload, now: startedAt, forgotten }: Start,
  result: Result,
  {
    open = new Map(),
    dropped = [],
    next = [],
  }: Partial<{
    open: ReadonlyMap<string, OpenTarget>;
    dropped: readonly string[];
    next: JobRun<Result>['next'];
  }> = {},
): JobRun<Result> {
  const { due, trigger } = payload;
  const run = { run: runOf(payload), due, startedAt, trigger, ...result };
  return { result, next, watch: { kind: 'run', schedule: schedule.name, run, open, forgotten, dropped } };
}

function ended(state: Result['state'], reason: string): JobRun<Result> {
  return { result: { state, targets: 0, reason }, next: [] };
}

/** Identifies the source of a schedule: a target that was read from another source is read as a new one. */
function definitionOf({ source }: Schedule): string {
  return keyHash(JSON.stringify(source), 16);
}
