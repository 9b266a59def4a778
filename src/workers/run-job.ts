import { SpanKind, trace } from 'bullmq';
import type { Logger } from 'pino';
import { type AnyJob, type JobRun, spentBy } from '../jobs/job.ts';
import type { OutcomePort, Ports } from '../jobs/ports.ts';
import { messageOf } from '../model/errors.ts';
import type { ClosedJob, OpenJob } from '../model/queue/open-job.ts';
import type { Outcomes, PrecedingRun, StoredOutcome, WantedJob } from '../model/queue/outcome.ts';
import type { StoredKind } from '../model/stored/kind.ts';
import { raceAbort } from '../model/time-limit.ts';
import type { Progress } from '../scan/attempt.ts';
import { attemptSignal, type ParsedJob, type ProcessorOptions, parseJob } from './attempt.ts';
import { WorkerError } from './errors.ts';
import { addFollowUps, enqueueFollowUps, openJobsOf } from './flow.ts';
import { MAX_STALLS } from './queued-jobs.ts';
import { closeCompleted, releaseTurn } from './turn.ts';

/** An attempt whose job may run now. */
interface RunnableAttempt {
  readonly parsed: ParsedJob;
  readonly log: Logger;
  readonly lockLost: AbortSignal | undefined;
  /** False when it is known that there was no outcome when the attempt began. */
  readonly mayBeDone: boolean;
  readonly wanted: WantedJob | undefined;
  /** Whether no worker has begun the job before. */
  readonly isFirst: boolean;
  readonly lastAttempt: boolean;
  /** True when workers died repeatedly while they ran the job. */
  readonly stalled: boolean;
  /** How long the job waited for a worker alone. */
  readonly waited: { readonly waitedMs?: number };
}

/** A job that runs in this attempt. */
interface RunningJob {
  readonly options: ProcessorOptions;
  readonly attempt: RunnableAttempt;
  /** ms since 1970. */
  readonly startedAt: number;
}

/** A job that has run, and whose outcome is not saved yet. */
interface FinishedJob extends RunningJob, PrecedingRun {
  readonly run: JobRun<unknown>;
}

interface SavedJob extends RunningJob {
  readonly outcome: StoredOutcome;
  /** The follow-ups that no queue holds yet. Absent when an earlier attempt, or another worker, saved the outcome. */
  readonly opened?: readonly OpenJob[];
  /** Set when the job was closed with its outcome. `next`: the first job of its lane now. */
  readonly closed?: { readonly next?: string | undefined };
  readonly durationMs: number;
}

const STATE_RACES = 5;

/**
 * Runs a job, saves its outcome, queues its follow-ups and closes it. A follow-up that `followsDirectly` runs in the same attempt: both
 * outcomes are then saved in one step.
 */
export async function runJob(options: ProcessorOptions, attempt: RunnableAttempt): Promise<void> {
  const saved = await runAndSave(options, attempt);
  for (const job of saved) await passOn(job);
  const [first, ...others] = saved.filter(({ closed }) => closed === undefined).toReversed();
  if (first !== undefined) await closeCompleted(options, toClose(first), others.map(toClose));
  for (const job of saved) report(job);
}

/**
 * Runs a job unless its outcome exists, and saves what it returns. Resolves to the saved outcome, which is another worker's when that one
 * was saved first (single assignment). Before it comes that of a follow-up that ran directly after it.
 */
export async function runAndSave(
  options: ProcessorOptions,
  attempt: RunnableAttempt,
): Promise<readonly SavedJob[]> {
  const { job, outcomes } = options;
  const { key } = attempt.parsed;
  return await withinLimits(options, attempt, async (running, signal) => {
    const known = attempt.mayBeDone ? await outcomes.read(job.name, key) : undefined;
    if (known !== undefined) return [savedJob(running, { outcome: known })];
    requireFewStalls(job, attempt);
    for (let race = 0; race < STATE_RACES; race += 1) {
      const finished = await run(running, options.ports, signal);
      const both = await saveWithFollowUp(finished, signal);
      if (both !== undefined) return both;
      const answer = await save(finished);
      if (answer.status === 'saved') return [savedNow(finished, answer)];
      if (answer.status === 'already-there') return [savedJob(running, { outcome: answer.outcome })];
      if (answer.status === 'not-wanted')
        throw new WorkerError('not-wanted', `${job.name} "${key}": nothing waits for this attempt any more`);
    }
    const why = `the state of its target changed ${STATE_RACES} times while it ran`;
    throw new WorkerError('state-moved', `${job.name} "${key}": ${why}`);
  });
}

/** Throws `WorkerError` (`stalled`) for a job that is taken for the cause of the death of its workers. */
function requireFewStalls(
  { name, runsAfterStalls }: AnyJob,
  { stalled, parsed: { key } }: RunnableAttempt,
): void {
  if (!stalled || runsAfterStalls === true) return;
  const why = `${MAX_STALLS} workers died while they ran it`;
  throw new WorkerError('stalled', `${name} "${key}" failed permanently: ${why}`);
}

async function withinLimits<Result>(
  options: ProcessorOptions,
  attempt: RunnableAttempt,
  work: (running: RunningJob, signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const { job, limits, shutdown, onEvent, now = Date.now } = options;
  const { lockLost, log, waited } = attempt;
  const { key } = attempt.parsed;
  const what = `${job.name} "${key}"`;
  const limit = attemptSignal({ what, timeoutMs: limits.timeoutMs, shutdown, lockLost });
  onEvent?.({ kind: 'started', job: job.name, key, ...waited });
  log.debug({ key }, 'job started');
  try {
    return await work({ options, attempt, startedAt: now() }, limit.signal);
  } finally {
    limit.release();
  }
}

async function run(running: RunningJob, ports: Ports, signal: AbortSignal): Promise<FinishedJob> {
  const { options, attempt, startedAt } = running;
  const { job, flow, onEvent } = options;
  const { lastAttempt, stalled, wanted } = attempt;
  const { id, key, lane, payload } = attempt.parsed;
  const progress = (step: Progress) => onEvent?.({ kind: 'progress', job: job.name, key, progress: step });
  signal.throwIfAborted();
  // A port that ignores the signal must not block the job; nothing that it does later is saved.
  const finished = await raceAbort(
    job.run(payload, ports, { startedAt, signal, lastAttempt, stalled, progress }),
    signal,
  );
  const ends = { id, lane, spent: spentBy(job, key, payload) };
  const follows = openJobsOf(flow.jobs, finished.next);
  const circumstances = { follows, startedAt, resultKind: job.resultKind, ends, wanted };
  return { ...running, job: job.name, key, run: finished, circumstances };
}

/**
 * Runs the only follow-up of a job at once, without its queue, and saves both outcomes, or none. Resolves to `undefined` when the outcome
 * has to be saved alone: then the follow-up is queued, and its attempts begin there.
 */
async function saveWithFollowUp(
  first: FinishedJob,
  signal: AbortSignal,
): Promise<readonly SavedJob[] | undefined> {
  const direct = directFollowUp(first);
  if (direct === undefined) return undefined;
  const { telemetry, job } = direct.options;
  const runBoth = () =>
    withinLimits(direct.options, direct.attempt, async (running, ownSignal) => {
      const second = await run(running, portsAfter(first), ownSignal);
      const answer = await save(second, first);
      if (answer.status !== 'saved')
        throw new WorkerError('state-moved', `${job.name} cannot be saved together with ${first.job}`);
      const last = savedNow(second, answer);
      // Both are closed in this step, or none.
      const closed = last.closed === undefined ? {} : { closed: {} };
      const durationMs = second.startedAt - first.startedAt;
      return [last, { ...savedJob(first, { outcome: first.run, opened: [], ...closed }), durationMs }];
    });
  try {
    // BullMQ gives the jobs of a queue such a span.
    return await trace(telemetry, SpanKind.CONSUMER, job.name, 'process', job.name, runBoth);
  } catch (error) {
    // The job that it follows from runs again, too.
    signal.throwIfAborted();
    const { log, parsed } = direct.attempt;
    log.info({ key: parsed.key, reason: messageOf(error) }, 'job continues from its queue');
    return undefined;
  }
}

/** The follow-up of a first attempt: what killed a worker does not keep the outcome from being saved again. */
function directFollowUp({
  options: { job, siblings, log },
  attempt,
  run: { result, state, fleet },
  circumstances: { follows = [] },
}: FinishedJob): Pick<RunningJob, 'options' | 'attempt'> | undefined {
  const [only, ...others] = follows;
  if (state !== undefined || fleet !== undefined || only === undefined || others.length > 0) return undefined;
  if (!attempt.isFirst || attempt.parsed.lane !== undefined || job.joinsFollowUp?.(result) !== true)
    return undefined;
  const options = siblings.get(only.job);
  if (options?.job.followsDirectly !== true || only.lane !== undefined || only.children !== undefined)
    return undefined;
  const parsed = parseJob(options.job, only.data, undefined);
  const own = { parsed, log: log.child({ job: only.job, jobId: parsed.id }), waited: { waitedMs: 0 } };
  return { options, attempt: { ...attempt, ...own, mayBeDone: false, isFirst: false, lastAttempt: false } };
}

/** The ports of a job that follows directly: the outcome before it is not in the store yet. */
function portsAfter({ options: { ports }, job, key, run: { result } }: FinishedJob): Ports {
  const outcomes: OutcomePort = {
    read: async <Result>(kind: StoredKind<Result>, name: string, own: string) =>
      // It is of the kind of its job.
      name === job && own === key ? (result as Result) : await ports.outcomes.read(kind, name, own),
  };
  return { ...ports, outcomes };
}

/** `after`: the job that this one follows directly; both are saved in one step. */
function save(finished: FinishedJob, after?: FinishedJob): ReturnType<Outcomes['save']> {
  const { options, job, key, run: own, circumstances } = finished;
  const ends = isClosing(finished) ? circumstances.ends : undefined;
  return options.outcomes.save(job, key, own, { ...circumstances, ends, after });
}

function savedNow(finished: FinishedJob, { next }: { readonly next?: string | undefined }): SavedJob {
  const closed = isClosing(finished) ? { closed: { next } } : {};
  const { run: outcome, circumstances } = finished;
  return savedJob(finished, { outcome, opened: circumstances.follows ?? [], ...closed });
}

function savedJob(
  { options, attempt, startedAt }: RunningJob,
  saved: Pick<SavedJob, 'outcome' | 'opened' | 'closed'>,
): SavedJob {
  return { options, attempt, startedAt, ...saved, durationMs: (options.now ?? Date.now)() - startedAt };
}

/** Whether the job is closed with its outcome: nothing follows. */
function isClosing({ circumstances: { follows = [] } }: FinishedJob): boolean {
  return follows.length === 0;
}

/** Queues what follows from a saved outcome, and releases the turn of a closed job. */
async function passOn({ options, outcome, opened, closed }: SavedJob): Promise<void> {
  const { flow } = options;
  if (opened === undefined) await enqueueFollowUps(flow, outcome.next);
  else await addFollowUps(flow, opened);
  if (closed !== undefined) await releaseTurn(options, closed.next);
}

function toClose({ options: { job }, attempt }: SavedJob): ClosedJob {
  const { id, lane, key, payload } = attempt.parsed;
  return { id, lane, spent: spentBy(job, key, payload), outcome: { job: job.name, key } };
}

/** Tells the log and the listeners that a job is done. */
function report({ options: { job, onEvent }, attempt, outcome, opened, durationMs }: SavedJob): void {
  const { key, payload } = attempt.parsed;
  const { result, next } = outcome;
  const isNew = opened !== undefined;
  onEvent?.({ kind: 'finished', job: job.name, key, durationMs, ...(isNew ? { result } : {}) });
  const { facts, warning } = isNew && result !== null ? (job.log?.(payload, result) ?? {}) : {};
  const line = { key, ...facts, followUps: next.length, durationMs };
  if (warning === undefined) attempt.log.info(line, 'job finished');
  else attempt.log.warn(line, `job finished: ${warning}`);
}
