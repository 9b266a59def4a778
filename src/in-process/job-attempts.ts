import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { AnyJob, JobLimits } from '../jobs/job.ts';
import type { Ports } from '../jobs/ports.ts';
import { messageOf } from '../model/errors.ts';
import type { StoredFollowUp } from '../model/queue/follow-up.ts';
import { attemptSignal } from '../workers/attempt-signal.ts';
import type { WorkerEvent } from '../workers/events.ts';
import { DEFAULT_WAITING, endingOf, type Failure, failureOf } from '../workers/failure.ts';
import { runOnce } from '../workers/run-once.ts';
import type { MemoryOutcomes } from './outcomes.ts';

export type LogLevel = 'error' | 'info' | 'warn';
export type Log = Readonly<
  Record<LogLevel, (facts: Readonly<Record<string, unknown>>, message: string) => void>
>;

export interface AttemptOptions {
  readonly ports: Ports;
  readonly outcomes: MemoryOutcomes;
  readonly log: Log;
  /** Ends everything that runs or waits. */
  readonly signal: AbortSignal;
  readonly onEvent?: (event: WorkerEvent) => void;
  /** Changes limits of all jobs. */
  readonly limits?: Partial<JobLimits>;
  readonly random?: () => number;
}

/** Runs a job from its first attempt to its end. Returns its follow-ups: none when it failed permanently. */
export type JobAttempts = (key: string, payload: unknown) => Promise<readonly StoredFollowUp[]>;

interface Work {
  readonly key: string;
  readonly payload: unknown;
  readonly since: number;
  /** Attempts that failed. */
  failed: number;
  /** Attempts that ended without being counted. */
  postponed: number;
}

/**
 * Runs attempts as a queue does: at most the allowed number concurrently, with delays between the attempts of a job,
 * and none while the service asks for a pause. Rejects only with the signal's reason.
 */
export function createJobAttempts(options: AttemptOptions, job: AnyJob): JobAttempts {
  const { signal } = options;
  const limits = { ...job.limits, ...options.limits };
  const limit = pLimit(limits.concurrency);
  let pausedUntil = 0;

  async function tryOnce(work: Work): Promise<readonly StoredFollowUp[] | Failure> {
    while (pausedUntil > Date.now()) await wait(pausedUntil - Date.now(), signal);
    try {
      return await attempt(options, job, limits, work);
    } catch (error) {
      signal.throwIfAborted();
      const failure = classify(work, error, limits, options.random ?? Math.random);
      // Before the next one begins.
      if (failure.kind === 'pause') pausedUntil = Math.max(pausedUntil, Date.now() + failure.delayMs);
      await report(options, job, work, { failure, error });
      return failure;
    }
  }

  return async (key, payload) => {
    const work: Work = { key, payload, since: Date.now(), failed: 0, postponed: 0 };
    for (;;) {
      const ended = await limit(() => tryOnce(work));
      if (!('kind' in ended)) return ended;
      if (ended.kind === 'fail') return [];
      if (ended.kind === 'retry') work.failed += 1;
      else work.postponed += 1;
      if (ended.kind !== 'pause') await wait(ended.delayMs, signal);
    }
  };
}

async function attempt(
  { ports, outcomes, signal, onEvent, log }: AttemptOptions,
  job: AnyJob,
  limits: JobLimits,
  { key, payload, failed }: Work,
): Promise<readonly StoredFollowUp[]> {
  signal.throwIfAborted();
  const startedAt = Date.now();
  const what = `${job.name} "${key}"`;
  const end = attemptSignal({ what, timeoutMs: limits.timeoutMs, shutdown: signal, lockLost: undefined });
  onEvent?.({ kind: 'started', job: job.name, key });
  const work = { job, key, payload, startedAt, openJobsOf: () => [], mayBeDone: true };
  const { result, next } = await runOnce(work, outcomes, ports, {
    startedAt,
    signal: end.signal,
    lastAttempt: failed + 1 >= limits.attempts,
    stalled: false,
    progress: (progress) => onEvent?.({ kind: 'progress', job: job.name, key, progress }),
  }).finally(end.release);
  await job.onEnd?.(payload, { kind: 'done' }, ports);
  const spent = job.spent?.(payload);
  if (spent !== undefined) outcomes.spend(spent);
  onEvent?.({ kind: 'finished', job: job.name, key, durationMs: Date.now() - startedAt });
  const { facts, warning } = job.log?.(payload, result) ?? {};
  const line = { job: job.name, key, ...facts, durationMs: Date.now() - startedAt };
  if (warning === undefined) log.info(line, 'job finished');
  else log.warn(line, `job finished: ${warning}`);
  return next;
}

async function report(
  { ports, onEvent, log }: AttemptOptions,
  job: AnyJob,
  { key, payload }: Work,
  { failure, error }: { readonly failure: Failure; readonly error: unknown },
): Promise<void> {
  const reason = messageOf(error);
  if (failure.kind === 'fail') {
    log.error({ job: job.name, key, reason, err: error }, 'job failed permanently');
    await job.onEnd?.(payload, { kind: 'failed', reason }, ports);
    onEvent?.({ kind: 'failed', job: job.name, key, reason });
    return;
  }
  const { delayMs } = failure;
  log.warn({ job: job.name, key, reason, delayMs }, `job is retried later (${failure.kind})`);
  onEvent?.({ kind: 'retrying', how: failure.kind, job: job.name, key, reason, delayMs });
  await job.onEnd?.(payload, endingOf(failure, reason), ports);
}

function classify(work: Work, error: unknown, limits: JobLimits, random: () => number): Failure {
  return failureOf({
    error,
    limits,
    attempts: work.failed + 1,
    postponements: work.postponed,
    ageMs: Date.now() - work.since,
    waiting: DEFAULT_WAITING,
    random: random(),
  });
}

async function wait(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw error;
  });
}
