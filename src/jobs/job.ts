import type { OutcomeEffects } from '../model/queue/outcome.ts';
import type { SpentOutcomes } from '../model/queue/spent-outcomes.ts';
import type { StoredKind } from '../model/stored/kind.ts';
import type { Attempt } from '../scan/attempt.ts';
import type { FollowUp } from './follow-up.ts';
import type { JobType } from './job-type.ts';
import type { Ports } from './ports.ts';

/** How the queue treats a job. Times in milliseconds. */
export interface JobLimits {
  /** Attempts before the job fails permanently. */
  readonly attempts: number;
  /** First delay between attempts; doubled after each, up to `maxBackoffMs`, with jitter. */
  readonly backoffMs: number;
  readonly maxBackoffMs: number;
  /** An attempt is aborted after this time. */
  readonly timeoutMs: number;
  /** Jobs of this name that one worker process runs concurrently. */
  readonly concurrency: number;
}

/** Context of an attempt. `run` does not read a clock. */
export interface RunContext extends Attempt {
  /** When the attempt began; milliseconds since 1970. */
  readonly startedAt: number;
  /** True when workers died repeatedly while they ran the job (`runsAfterStalls`): `run` skips what may have killed them. */
  readonly stalled: boolean;
}

/** The result of `run`. The runtime saves it before it acts on it. */
export interface JobRun<Result> extends OutcomeEffects {
  readonly result: Result;
  readonly next: readonly FollowUp[];
}

/** How an attempt ended. */
export type AttemptEnding =
  | { readonly kind: 'done' }
  | { readonly kind: 'retry'; readonly reason: string; readonly delayMs: number }
  /** No attempt was counted. `code` is that of the error. */
  | {
      readonly kind: 'postponed';
      readonly code: string;
      readonly reason: string;
      readonly delayMs: number;
    }
  | { readonly kind: 'failed'; readonly reason: string };

/** Fields of the log line of a finished job, in addition to its key. */
export interface LogFacts {
  readonly facts: Readonly<Record<string, unknown>>;
  /** Set when an operator should check the job: the line is then a warning. */
  readonly warning?: string | undefined;
}

/** A job reads through the ports `Needs` only; one file, named verb and noun. */
export interface Job<Payload = unknown, Result = unknown, Needs extends keyof Ports = keyof Ports>
  extends JobType<Payload> {
  readonly limits: JobLimits;
  /** Kind of its result, where other jobs or commands read it. */
  readonly resultKind?: StoredKind<Result>;
  run(payload: Payload, ports: Pick<Ports, Needs>, context: RunContext): Promise<JobRun<Result>>;
  /** Runs again even when workers died repeatedly while they ran it. Other jobs fail permanently after the third time. */
  readonly runsAfterStalls?: true;
  /**
   * Jobs of one lane run one after the other, in the order in which the outcomes that they follow from were saved. The next
   * one starts when the previous one is completed or has failed permanently.
   */
  lane?(payload: Payload): string;
  /** The target whose state it changes: the job runs in the shard of this target, wherever it was queued. */
  target?(payload: Payload): string;
  /**
   * Whether the only follow-up, where it `followsDirectly`, runs at once in the first attempt, and both outcomes are saved in one step.
   * For a run that changes no state and whose repetition costs little: a crash before that step repeats both.
   */
  joinsFollowUp?(result: Result): boolean;
  /** It may run in the attempt of the job that it follows from, without its queue. For jobs without a lane and children. */
  readonly followsDirectly?: true;
  log?(payload: Payload, result: Result): LogFacts;
  /** Runs whenever the job has to wait for its turn. */
  whileWaiting?(payload: Payload, ports: Pick<Ports, Needs>): Promise<void>;
  /** Outcomes to free once the job is closed. What marked ones hold stays readable for some minutes. */
  spent?(payload: Payload): SpentOutcomes;
  /**
   * The outcome has all effects of `onEnd` for `done`. Without follow-ups the job is closed together with its outcome, and `onEnd`
   * runs for `done` only where an earlier attempt saved the outcome.
   */
  readonly endsWithOutcome?: true;
  /** Runs after each attempt, once its outcome is saved and before the queue records the end. May run twice. */
  onEnd?(payload: Payload, ending: AttemptEnding, ports: Pick<Ports, Needs>): Promise<void>;
}

/** A job with any payload. */
// biome-ignore lint/suspicious/noExplicitAny: payloads differ from job to job; the envelope's schema checks them
export type AnyJob = Job<any, unknown>;
