import { hash } from 'node:crypto';
import type { ZodType } from 'zod';
import type { Envelope, SpentOutcomes } from '../model/queue/open-job.ts';
import type { OutcomeEffects } from '../model/queue/outcome.ts';
import type { StoredKind } from '../model/stored/kind.ts';
import type { Attempt } from '../scan/attempt.ts';
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

/** How an attempt failed. */
export type AttemptEnding =
  | { readonly kind: 'retry'; readonly reason: string; readonly delayMs: number }
  /** The attempt was not counted. `code` is that of the error. */
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
  /**
   * Whether everything that the payload refers to is stored. A job whose outcome Redis has lost runs again only then: without it, it would
   * end without a result, under an id that could not be used again. Absent: the payload refers to nothing.
   */
  hasInput?(payload: Payload, ports: Pick<Ports, Needs>): Promise<boolean>;
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
  /**
   * The job may run in the attempt of the job that it follows from, without its queue. For jobs without a lane and
   * children.
   */
  readonly followsDirectly?: true;
  log?(payload: Payload, result: Result): LogFacts;
  /** Outcomes to free once the job is closed; `own`: a marker stays of its own one. What marked ones hold stays readable for some minutes. */
  readonly spent?: 'own' | ((payload: Payload) => SpentOutcomes);
  /**
   * Runs after each attempt that failed, before the queue records that. May run twice. What a job does when it is done is saved with its
   * outcome, in one step: Redis may lose an outcome, and must not keep its effects.
   */
  onEnd?(payload: Payload, ending: AttemptEnding, ports: Pick<Ports, Needs>): Promise<void>;
}

// biome-ignore lint/suspicious/noExplicitAny: payloads differ from job to job; the envelope's schema checks them
export type AnyJob = Job<any, unknown>;

/** The name and payload of a job: all that is needed to enqueue it. */
export interface JobType<Payload = unknown> {
  readonly name: string;
  /** Version of the payload; raised when its meaning changes. */
  readonly version: number;
  /** Built on first use, because building a schema takes longer than most jobs of a small scan. */
  schema(): ZodType<Payload>;
  /** Upgrades by the version that they read. Each returns a payload of the next version. */
  readonly upgrades?: Readonly<Record<number, (payload: unknown) => unknown>>;
  /** The key of the outcome; the same work has the same key. */
  key(payload: Payload): string;
  /** Set for a job that other programs queue under an id of their choice. */
  readonly requested?: {
    /** The payload with an id that belongs to its target, and with a time that is not in the future. `now`: ms since 1970. */
    own(payload: Payload, now: number): Payload;
    /** A hash that is equal for a repetition, and for nothing else. */
    content(payload: Payload): string;
  };
}

declare const made: unique symbol;

/**
 * A job to enqueue: the envelope for the queue of `job`. Children run first and may fail without failing the parent. Only
 * `followUp` creates one.
 */
export interface FollowUp extends Envelope {
  readonly job: string;
  readonly children?: readonly FollowUp[];
  readonly [made]: true;
}

/** Creates a follow-up. The runtime checks its payload against the schema before it stores it. */
export function followUp<Payload>(
  type: JobType<Payload>,
  payload: NoInfer<Payload>,
  children: readonly FollowUp[] = [],
): FollowUp {
  const envelope = { version: type.version, key: type.key(payload), payload };
  return { job: type.name, ...envelope, ...(children.length === 0 ? {} : { children }) } as FollowUp;
}

/**
 * The BullMQ id of a job: equal keys have equal ids, so the job is queued once. A hash with a leading letter, because
 * BullMQ refuses ids that contain `:` or are integers.
 */
export function jobIdOf(job: string, key: string): string {
  return `j${hash('sha256', JSON.stringify([job, key])).slice(0, 40)}`;
}

/** The outcomes that a job frees once it is closed. */
export function spentBy({ name, spent }: AnyJob, key: string, payload: unknown): SpentOutcomes | undefined {
  return spent === 'own' ? { marked: [{ job: name, key }], removed: [] } : spent?.(payload);
}
