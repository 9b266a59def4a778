import { SpanKind, trace } from 'bullmq';
import type { Logger } from 'pino';
import type { OutcomePort, Ports } from '../jobs/ports.ts';
import { messageOf } from '../model/errors.ts';
import type { StoredFollowUp } from '../model/queue/follow-up.ts';
import type { ClosedJob } from '../model/queue/open-job.ts';
import type { OutcomeEffects, PrecedingRun } from '../model/queue/outcome.ts';
import type { StoredKind } from '../model/stored/kind.ts';
import type { Progress } from '../scan/attempt.ts';
import type { ParsedJob, ProcessorOptions } from './attempt.ts';
import { attemptSignal } from './attempt-signal.ts';
import { parseJob } from './begin.ts';
import { addFollowUps, enqueueFollowUps, openJobsOf } from './flow.ts';
import { type JobOutcome, runOnce } from './run-once.ts';
import { closeCompleted, releaseTurn } from './turn.ts';

/** An attempt whose job may run now. */
export interface RunnableAttempt {
  readonly parsed: ParsedJob;
  readonly log: Logger;
  readonly lockLost: AbortSignal | undefined;
  /** False when it is known that there was no outcome when the attempt began. */
  readonly mayBeDone: boolean;
  /** Whether no worker has begun the job before. */
  readonly isFirst: boolean;
  readonly lastAttempt: boolean;
  /** True when workers died repeatedly while they ran the job. */
  readonly stalled: boolean;
  /** How long the job waited for a worker alone. */
  readonly waited: { readonly waitedMs?: number };
}

/** A job whose outcome is saved and whose follow-ups are queued. */
interface DoneJob {
  /** Absent when it was closed with its outcome. */
  readonly open?: ClosedJob;
  /** Tells the log and the listeners that it is done. */
  readonly report: () => void;
}

/** The outcome of a job, and the jobs that are done with it, the one that ran first at the end. */
interface JobEnd {
  readonly outcome: JobOutcome;
  readonly done: readonly DoneJob[];
}

/** Runs a job, saves its outcome, passes its follow-ups on and closes it, together with one that ran directly after it. */
export async function runJob(options: ProcessorOptions, attempt: RunnableAttempt): Promise<void> {
  const { done } = await runOpen(options, attempt);
  const [last, ...others] = done.flatMap(({ open }) => open ?? []).toReversed();
  if (last !== undefined) await closeCompleted(options, last, others);
  for (const { report } of done) report();
}

/** The same without closing it. `after`: the run that it follows directly. */
async function runOpen(
  options: ProcessorOptions,
  attempt: RunnableAttempt,
  after?: PrecedingRun,
): Promise<JobEnd> {
  const { job, limits, outcomes, flow, shutdown, onEvent, now = Date.now } = options;
  const { log, lockLost, mayBeDone, lastAttempt, stalled } = attempt;
  const { id, key, payload, lane } = attempt.parsed;
  const what = `${job.name} "${key}"`;
  const limit = attemptSignal({ what, timeoutMs: limits.timeoutMs, shutdown, lockLost });
  onEvent?.({ kind: 'started', job: job.name, key, ...attempt.waited });
  log.debug({ key }, 'job started');
  const startedAt = now();
  const ends = { id, lane, spent: job.spent?.(payload) };
  const isClosing = job.onEnd === undefined || job.endsWithOutcome === true;
  let followed: (JobEnd & { readonly startedAt: number }) | undefined;
  const work = {
    ...{ job, key, payload, startedAt, mayBeDone, after },
    openJobsOf: (next: readonly StoredFollowUp[]) => openJobsOf(flow.jobs, next),
    runFollowUp: async (run: PrecedingRun) => {
      const followUpAt = now();
      const end = await runFollowUp(options, attempt, run, limit.signal);
      if (end === undefined) return undefined;
      followed = { ...end, startedAt: followUpAt };
      return joined(run, end.outcome);
    },
    ...(isClosing ? { ends } : {}),
  };
  const context = {
    startedAt,
    signal: limit.signal,
    lastAttempt,
    stalled,
    progress: (progress: Progress) => onEvent?.({ kind: 'progress', job: job.name, key, progress }),
  };
  let outcome: JobOutcome;
  try {
    outcome = await runOnce(work, outcomes, portsAfter(options, after), context);
  } finally {
    limit.release();
  }
  const { closed, opened, next } = outcome;
  const durationMs = (followed?.startedAt ?? now()) - startedAt;
  const report = () => reportDone(options, attempt, outcome, durationMs);
  if (opened === undefined) await enqueueFollowUps(flow, next);
  else if (followed === undefined) await addFollowUps(flow, opened);
  const { done = [] } = followed ?? {};
  if (closed !== undefined) {
    await releaseTurn(options, closed.next);
    return { outcome, done: [...done, { report }] };
  }
  if (opened === undefined || job.endsWithOutcome !== true)
    await job.onEnd?.(payload, { kind: 'done' }, options.ports);
  return { outcome, done: [...done, { open: { ...ends, outcome: { job: job.name, key } }, report }] };
}

/** The outcome of a run that was saved with that of its follow-up. */
function joined(
  { run, circumstances: { ends, follows = [] } }: PrecedingRun,
  { closed }: JobOutcome,
): JobOutcome {
  const isClosed = ends !== undefined && closed !== undefined;
  return { ...run, opened: follows, ...(isClosed ? { closed: { next: undefined } } : {}) };
}

/** The ports of a job that follows directly: the outcome before it is not in the store yet. */
function portsAfter({ ports }: ProcessorOptions, after: PrecedingRun | undefined): Ports {
  if (after === undefined) return ports;
  const outcomes: OutcomePort = {
    read: async <Result>(kind: StoredKind<Result>, job: string, key: string) =>
      // It is of the kind of its job.
      job === after.job && key === after.key
        ? (after.run.result as Result)
        : await ports.outcomes.read(kind, job, key),
  };
  return { ...ports, outcomes };
}

function reportDone(
  { job, onEvent }: ProcessorOptions,
  { parsed: { key, payload }, log }: RunnableAttempt,
  { result, next, opened }: JobOutcome,
  durationMs: number,
): void {
  const isNew = opened !== undefined;
  onEvent?.({ kind: 'finished', job: job.name, key, durationMs, ...(isNew ? { result } : {}) });
  const { facts, warning } = isNew && result !== null ? (job.log?.(payload, result) ?? {}) : {};
  const line = { key, ...facts, followUps: next.length, durationMs };
  if (warning === undefined) log.info(line, 'job finished');
  else log.warn(line, `job finished: ${warning}`);
}

/**
 * Runs the only follow-up of a run here, without its queue, and saves both outcomes. When it fails here, the outcome is saved alone, and
 * it is queued: its attempts begin there.
 */
async function runFollowUp(
  options: ProcessorOptions,
  attempt: RunnableAttempt,
  run: PrecedingRun,
  signal: AbortSignal,
): Promise<JobEnd | undefined> {
  const direct = directFollowUp(options, attempt, run);
  if (direct === undefined) return undefined;
  const { name } = direct.options.job;
  const log = options.log.child({ job: name, jobId: direct.parsed.id });
  const directAttempt = {
    ...attempt,
    parsed: direct.parsed,
    log,
    ...{ mayBeDone: false, isFirst: false, lastAttempt: false },
    waited: { waitedMs: 0 },
  };
  try {
    // BullMQ gives the jobs of a queue such a span.
    return await trace(options.telemetry, SpanKind.CONSUMER, name, 'process', name, () =>
      runOpen(direct.options, directAttempt, run),
    );
  } catch (error) {
    // The job that it follows from runs again, too.
    signal.throwIfAborted();
    log.info({ key: direct.parsed.key, reason: messageOf(error) }, 'job continues from its queue');
    return undefined;
  }
}

/** Only in a first attempt: what killed a worker does not keep the outcome from being saved again. */
function directFollowUp(
  { job, siblings }: ProcessorOptions,
  { isFirst, parsed: { lane } }: RunnableAttempt,
  { run, circumstances: { follows = [] } }: PrecedingRun,
): { readonly options: ProcessorOptions; readonly parsed: ParsedJob } | undefined {
  const { state, fleet }: OutcomeEffects = run;
  if (state !== undefined || fleet !== undefined) return undefined;
  const [only, ...others] = follows;
  if (!isFirst || lane !== undefined || only === undefined || others.length > 0) return undefined;
  if (job.joinsFollowUp?.(run.result) !== true) return undefined;
  const options = siblings.get(only.job);
  if (options?.job.followsDirectly !== true) return undefined;
  if (only.lane !== undefined || only.children !== undefined) return undefined;
  return { options, parsed: parseJob(options.job, only.data, only.lane) };
}
