import { SpanKind, trace } from 'bullmq';
import type { Logger } from 'pino';
import type { Progress } from '../jobs/job.ts';
import { messageOf } from '../model/errors.ts';
import type { StoredFollowUp } from '../model/queue/follow-up.ts';
import type { ClosedJob, OpenJob } from '../model/queue/open-job.ts';
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

/** Runs a job, saves its outcome, passes its follow-ups on and closes it, together with those that ran directly after it. */
export async function runJob(options: ProcessorOptions, attempt: RunnableAttempt): Promise<void> {
  const done = await runOpen(options, attempt);
  const [last, ...others] = done.flatMap(({ open }) => open ?? []).toReversed();
  if (last !== undefined) await closeCompleted(options, last, others);
  for (const { report } of done) report();
}

/** The same without closing it. Returns the jobs that ran, the one that ran first at the end. */
async function runOpen(options: ProcessorOptions, attempt: RunnableAttempt): Promise<readonly DoneJob[]> {
  const { job, limits, outcomes, ports, flow, shutdown, onEvent, now = Date.now } = options;
  const { log, lockLost, mayBeDone, lastAttempt, stalled } = attempt;
  const { id, key, payload, lane } = attempt.parsed;
  const what = `${job.name} "${key}"`;
  const limit = attemptSignal({ what, timeoutMs: limits.timeoutMs, shutdown, lockLost });
  onEvent?.({ kind: 'started', job: job.name, key, ...attempt.waited });
  log.debug({ key }, 'job started');
  const startedAt = now();
  const follows = (next: readonly StoredFollowUp[]) => openJobsOf(flow.jobs, next);
  const ends = { id, lane, spent: job.spent?.(payload) };
  const closing = job.onEnd === undefined || job.endsWithOutcome === true ? { ends } : {};
  const work = { job, key, payload, startedAt, openJobsOf: follows, mayBeDone, ...closing };
  const context = {
    startedAt,
    signal: limit.signal,
    lastAttempt,
    stalled,
    progress: (progress: Progress) => onEvent?.({ kind: 'progress', job: job.name, key, progress }),
  };
  let outcome: JobOutcome;
  try {
    outcome = await runOnce(work, outcomes, ports, context);
  } finally {
    limit.release();
  }
  const { closed, opened } = outcome;
  const durationMs = now() - startedAt;
  const report = () => reportDone(options, attempt, outcome, durationMs);
  const direct = await passOn(options, attempt, outcome);
  if (closed !== undefined) {
    await releaseTurn(options, closed.next);
    return [...direct, { report }];
  }
  if (opened === undefined || job.endsWithOutcome !== true)
    await job.onEnd?.(payload, { kind: 'done' }, ports);
  return [...direct, { open: { ...ends, outcome: { job: job.name, key } }, report }];
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
 * Queues the follow-ups, or runs the only one here. When it fails here, it is queued: its attempts begin there. Returns the jobs that
 * ran here.
 */
async function passOn(
  options: ProcessorOptions,
  attempt: RunnableAttempt,
  outcome: JobOutcome,
): Promise<readonly DoneJob[]> {
  const { flow } = options;
  const { next, opened } = outcome;
  if (opened === undefined) {
    await enqueueFollowUps(flow, next);
    return [];
  }
  const direct = directFollowUp(options, opened, outcome.bytes);
  if (direct === undefined) {
    await addFollowUps(flow, opened);
    return [];
  }
  const { name } = direct.options.job;
  const log = options.log.child({ job: name, jobId: direct.parsed.id });
  const directAttempt = {
    ...attempt,
    parsed: direct.parsed,
    log,
    mayBeDone: false,
    lastAttempt: false,
    waited: { waitedMs: 0 },
  };
  try {
    // BullMQ gives the jobs of a queue such a span.
    return await trace(options.telemetry, SpanKind.CONSUMER, name, 'process', name, () =>
      runOpen(direct.options, directAttempt),
    );
  } catch (error) {
    log.info({ key: direct.parsed.key, reason: messageOf(error) }, 'job continues from its queue');
    await addFollowUps(flow, opened);
    return [];
  }
}

/** Outcomes up to this size, as they are stored in bytes, are soon followed: the job does not hold its place for long. */
const MAX_DIRECT_BYTES = 131_072;

/**
 * The follow-up that runs at once in this process, without its queue. It is open until its own follow-ups are queued. When this process
 * dies, another worker claims the job that it follows from, and queues it.
 */
function directFollowUp(
  { siblings }: ProcessorOptions,
  [only, ...others]: readonly OpenJob[],
  bytes = Number.POSITIVE_INFINITY,
): { readonly options: ProcessorOptions; readonly parsed: ParsedJob } | undefined {
  if (only === undefined || others.length > 0 || bytes > MAX_DIRECT_BYTES) return undefined;
  const { data, lane, children } = only;
  const options = siblings.get(only.job);
  if (options?.job.followsDirectly !== true || lane !== undefined || children !== undefined) return undefined;
  return { options, parsed: parseJob(options.job, data, lane) };
}
