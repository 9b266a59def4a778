import type { Job as QueuedJob } from 'bullmq';
import type { Logger } from 'pino';
import type { FollowUp } from '../jobs/follow-up.ts';
import type { AnyJob, JobLimits } from '../jobs/job.ts';
import type { Ports } from '../jobs/ports.ts';
import type { OpenJob, OpenJobs } from '../model/queue/open-job.ts';
import type { RejectedPayload } from '../model/queue/rejected-payload.ts';
import type { WorkerEvent } from './events.ts';
import type { WaitingTimes } from './failure.ts';
import type { FlowOptions } from './flow.ts';
import type { Outcomes } from './outcomes.ts';

/** What the attempts of one job's queue are made with. */
export interface ProcessorOptions {
  readonly job: AnyJob;
  readonly limits: JobLimits;
  readonly waiting?: WaitingTimes | undefined;
  readonly ports: Ports;
  readonly outcomes: Outcomes;
  readonly openJobs: OpenJobs<FollowUp>;
  readonly flow: FlowOptions;
  readonly log: Logger;
  readonly onEvent?: (event: WorkerEvent) => void;
  readonly reject: (rejected: RejectedPayload) => Promise<void>;
  readonly shutdown: AbortSignal;
  /** Pauses the queue for every worker. */
  readonly pause: (ms: number) => Promise<void>;
  readonly now?: () => number;
  readonly random?: () => number;
}

/** One attempt at a job, as it came from the queue. */
export interface Attempt {
  readonly queued: QueuedJob;
  readonly token: string | undefined;
  readonly log: Logger;
  /** What is kept of the job since it was decided; `undefined` when a producer, the clock or a flow made it. */
  kept?: OpenJob<FollowUp> | undefined;
  /** What the job's envelope held; `undefined` when it cannot be opened. */
  opened?: OpenedJob;
}

export interface OpenedJob {
  /** The id that goes with its key; a producer may have queued it under another one. */
  readonly id: string;
  readonly key: string;
  readonly payload: unknown;
  /** The lane in which it waits for those before it. */
  readonly lane: string | undefined;
}
