import { isDeepStrictEqual } from 'node:util';
import type { Job as QueuedJob, Telemetry } from 'bullmq';
import type { Logger } from 'pino';
import { EnvelopeError, openEnvelope, UnparsedData } from '../jobs/envelope.ts';
import { type AnyJob, type JobLimits, jobIdOf } from '../jobs/job.ts';
import type { Ports } from '../jobs/ports.ts';
import type { BegunJob, OpenJob, OpenJobs } from '../model/queue/open-job.ts';
import type { Outcomes } from '../model/queue/outcome.ts';
import type { RejectedPayload } from '../model/queue/rejected-payload.ts';
import { WorkerError } from './errors.ts';
import type { WorkerEvent } from './events.ts';
import type { WaitingTimes } from './failure.ts';
import type { FlowOptions } from './flow.ts';
import type { CompletedJobs } from './recheck-completed.ts';

/** Shared by all attempts of one job's queue. */
export interface ProcessorOptions {
  readonly job: AnyJob;
  readonly limits: JobLimits;
  readonly waiting?: WaitingTimes | undefined;
  readonly ports: Ports;
  readonly outcomes: Outcomes;
  readonly openJobs: OpenJobs;
  readonly flow: FlowOptions;
  readonly completed: Pick<CompletedJobs, 'add'>;
  /** The options of all jobs by name, for follow-ups that need not be queued. */
  readonly siblings: ReadonlyMap<string, ProcessorOptions>;
  /** Traces jobs that are not queued. */
  readonly telemetry?: Telemetry | undefined;
  readonly log: Logger;
  readonly onEvent?: (event: WorkerEvent) => void;
  readonly reject: (rejected: RejectedPayload) => Promise<void>;
  readonly shutdown: AbortSignal;
  /** The shard of a target, unless it is this one. */
  readonly shardOf?: ((target: string) => OtherShard | undefined) | undefined;
  /** Pauses the queue for all workers. */
  readonly pause: (ms: number) => Promise<void>;
  readonly now?: () => number;
  readonly random?: () => number;
}

/** The queues of another shard. */
interface OtherShard {
  readonly prefix: string;
  readonly openJobs: OpenJobs;
}

export interface Attempt {
  readonly queued: QueuedJob;
  readonly token: string | undefined;
  readonly log: Logger;
  /** The stored open job; `undefined` when a producer, a schedule or a flow queued it. */
  stored?: OpenJob | undefined;
  /** `undefined` while the envelope has not been opened, or when it cannot be. */
  parsed?: ParsedJob;
}

export interface ParsedJob {
  /** The id that follows from its key; a producer may have queued it under another one. */
  readonly id: string;
  readonly key: string;
  readonly payload: unknown;
  readonly lane: string | undefined;
  /** Hash of what another program requests. */
  readonly content?: string;
}

interface BegunAttempt {
  readonly parsed: ParsedJob;
  readonly begun: BegunJob;
}

/**
 * Reads the job, and in one step what Redis holds of it. The stored open job takes precedence over the data in the queue: Redis may
 * have lost part of either. Sets `stored` of the attempt. Throws `EnvelopeError`.
 */
export async function beginAttempt(options: ProcessorOptions, attempt: Attempt): Promise<BegunAttempt> {
  const { job, openJobs } = options;
  const { id = '', data } = attempt.queued;
  const parsed = inQueue(job, data, (options.now ?? Date.now)());
  if (parsed instanceof EnvelopeError) {
    const open = await openJobs.find(id);
    attempt.stored = open;
    if (open === undefined) throw parsed;
    return await beginStored(options, id, open);
  }
  const begun = await begin(options, id, parsed);
  const { open } = begun;
  attempt.stored = open;
  if (open !== undefined)
    return agrees(open, data, parsed) ? { parsed, begun } : await beginStored(options, id, open);
  if (begun.claim === 'taken') throw idTaken(parsed);
  return { parsed, begun };
}

/** Stores a payload that does not fit its job, with the reason. */
export async function refuse(
  { job, reject, now = Date.now }: ProcessorOptions,
  queued: QueuedJob,
  { issues }: EnvelopeError,
): Promise<void> {
  const { id = '', data } = queued;
  const text = data instanceof UnparsedData ? data.text : (JSON.stringify(data) ?? '');
  await reject({ at: new Date(now()).toISOString(), job: job.name, id, issues, data: text });
}

/** The error for a request whose id another one has. */
export function idTaken({ key }: Pick<ParsedJob, 'key'>): EnvelopeError {
  const reason = `scan ${key} of this target has another content; choose another id`;
  return new EnvelopeError('invalid-payload', reason, [{ path: 'payload.scan', reason }]);
}

async function beginStored(options: ProcessorOptions, id: string, open: OpenJob): Promise<BegunAttempt> {
  const parsed = parseJob(options.job, open.data, open.lane);
  return { parsed, begun: await begin(options, id, parsed) };
}

async function begin(
  { job: { name: job, version }, openJobs }: ProcessorOptions,
  id: string,
  { id: ownId, lane, key, content, payload }: ParsedJob,
): Promise<BegunJob> {
  const claim = content === undefined ? undefined : { scan: key, content };
  // Nothing else restores a request whose outcome Redis loses before BullMQ completes it. Ids of other programs need not be unique.
  const opens =
    content !== undefined && id === ownId ? { id, job, data: { version, key, payload } } : undefined;
  return await openJobs.begin({ id, ownId, lane, outcome: { job, key }, claim, opens });
}

function agrees(open: OpenJob, data: unknown, { lane }: ParsedJob): boolean {
  return (open.lane ?? lane) === lane && isDeepStrictEqual(open.data, data);
}

function inQueue(job: AnyJob, data: unknown, now: number): ParsedJob | EnvelopeError {
  try {
    return ownRequest(job, parseJob(job, data, undefined), now);
  } catch (error) {
    if (error instanceof EnvelopeError) return error;
    throw error;
  }
}

/** A job that another program queued, under the id that belongs to its target. */
function ownRequest(job: AnyJob, parsed: ParsedJob, now: number): ParsedJob {
  const { requested } = job;
  if (requested === undefined) return parsed;
  const payload: unknown = requested.own(parsed.payload, now);
  const key = job.key(payload);
  return { ...parsed, payload, key, id: jobIdOf(job.name, key), content: requested.content(payload) };
}

/** Reads the data of a queued or open job. Throws `EnvelopeError`. */
export function parseJob(job: AnyJob, data: unknown, lane: string | undefined): ParsedJob {
  const { key, payload } = openEnvelope(job, data);
  return { id: jobIdOf(job.name, key), key, payload, lane: lane ?? job.lane?.(payload) };
}

interface AttemptLimits {
  /** The job's name and key, for messages. */
  readonly what: string;
  readonly timeoutMs: number;
  readonly shutdown: AbortSignal;
  readonly lockLost: AbortSignal | undefined;
}

/**
 * Aborts with the reason why an attempt must end. `release` removes the timer and the listeners: otherwise every attempt
 * would stay in memory until its time limit.
 */
export function attemptSignal({ what, timeoutMs, shutdown, lockLost }: AttemptLimits): {
  readonly signal: AbortSignal;
  release(): void;
} {
  const end = new AbortController();
  const onShutdown = (): void => end.abort(shutdown.reason);
  const onLockLost = (): void =>
    end.abort(new WorkerError('lock-lost', `the lock of ${what} was lost; another worker may run it`));
  const timer = setTimeout(
    () => end.abort(new WorkerError('timed-out', `${what} did not finish within ${timeoutMs} ms`)),
    timeoutMs,
  );
  shutdown.addEventListener('abort', onShutdown);
  lockLost?.addEventListener('abort', onLockLost);
  if (shutdown.aborted) onShutdown();
  if (lockLost?.aborted === true) onLockLost();
  return {
    signal: end.signal,
    release() {
      clearTimeout(timer);
      shutdown.removeEventListener('abort', onShutdown);
      lockLost?.removeEventListener('abort', onLockLost);
    },
  };
}
