import type { Job as QueuedJob, Telemetry } from 'bullmq';
import type { Logger } from 'pino';
import type { AnyJob, JobLimits } from '../jobs/job.ts';
import type { Ports } from '../jobs/ports.ts';
import type { OpenJob, OpenJobs } from '../model/queue/open-job.ts';
import type { Outcomes } from '../model/queue/outcome.ts';
import type { RejectedPayload } from '../model/queue/rejected-payload.ts';
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
  /** Those of all jobs by name, for follow-ups that need not be queued. */
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

/** One attempt at a queued job. */
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
