import type { OutcomeEffects, SpentOutcomes } from '../model/queue/outcome.ts';
import type { StoredKind } from '../model/stored/kind.ts';
import type { FollowUp } from './follow-up.ts';
import type { JobType } from './job-type.ts';
import type { Ports } from './ports.ts';

/** How the queue treats a job. Times in milliseconds. */
export interface JobLimits {
  /** Attempts in all, before the job is given up. */
  readonly attempts: number;
  /** First delay between attempts; doubled each time up to `maxBackoffMs`, with jitter. */
  readonly backoffMs: number;
  readonly maxBackoffMs: number;
  /** One attempt is aborted after this time. */
  readonly timeoutMs: number;
  /** Jobs of this name that one worker process runs side by side. */
  readonly concurrency: number;
}

/** What `run` may know of its surroundings. It reads no clock. */
export interface RunContext {
  readonly signal: AbortSignal;
  /** True when the queue will not try again: the time to settle for a partial result. */
  readonly lastAttempt: boolean;
  /** True when workers died under the job too often (`runsAfterStalls`): the time to leave out what may have killed them. */
  readonly stalled: boolean;
  /** Tells listeners how far the work is. */
  progress(progress: Progress): void;
}

export interface Progress {
  readonly step: string;
  readonly done: number;
  readonly total: number;
}

/** What `run` returns. Nothing has happened yet: the runtime saves it, then acts on it. */
export interface JobRun<Result> extends OutcomeEffects {
  readonly result: Result;
  readonly next: readonly FollowUp[];
}

/** How an attempt ended. */
export type AttemptEnding =
  | { readonly kind: 'done' }
  | { readonly kind: 'retry'; readonly reason: string; readonly delayMs: number }
  /** No attempt was used up. `code` is that of the error. */
  | {
      readonly kind: 'postponed';
      readonly code: string;
      readonly reason: string;
      readonly delayMs: number;
    }
  | { readonly kind: 'failed'; readonly reason: string };

/** What the log says of a finished job, beside its key. */
export interface LogFacts {
  readonly facts: Readonly<Record<string, unknown>>;
  /** What an operator should look at: the line is then a warning. */
  readonly warning?: string;
}

/** A job: one file, one verb and noun, pure but for its ports. */
export interface Job<Payload = unknown, Result = unknown, Needs extends keyof Ports = keyof Ports>
  extends JobType<Payload> {
  readonly limits: JobLimits;
  readonly needs: readonly Needs[];
  /** Kind of its result, where other jobs or commands read it. */
  readonly resultKind?: StoredKind<Result>;
  run(payload: Payload, ports: Pick<Ports, Needs>, context: RunContext): Promise<JobRun<Result>>;
  /**
   * Runs on however often workers died under it, because it knows what to leave out, or must never be given up for that.
   * Other jobs fail for good after the third time.
   */
  readonly runsAfterStalls?: true;
  /**
   * Jobs of one lane run one after another, in the order in which the outcomes that they follow from were saved: the
   * next one starts when the one before is done or given up.
   */
  lane?(payload: Payload): string;
  log?(payload: Payload, result: Result): LogFacts;
  /** Runs whenever the job finds that it is not its turn yet. */
  whileWaiting?(payload: Payload, ports: Pick<Ports, Needs>): Promise<void>;
  /** Outcomes to free once the job's follow-ups are enqueued. */
  spent?(payload: Payload): SpentOutcomes;
  /** Told how each attempt ended: after its outcome was saved, before the queue knows. May be told twice. */
  onEnd?(payload: Payload, ending: AttemptEnding, ports: Pick<Ports, Needs>): Promise<void>;
}

/** Any job: what the generic parts know of it. */
// biome-ignore lint/suspicious/noExplicitAny: payloads differ from job to job; the envelope's schema checks them
export type AnyJob = Job<any, unknown>;
