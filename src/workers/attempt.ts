import type { Job as QueuedJob } from 'bullmq';
import type { Logger } from 'pino';
import type { AnyJob, JobLimits } from '../jobs/job.ts';
import type { Ports } from '../jobs/ports.ts';
import type { LanePlace } from '../model/lane.ts';
import type { RejectedPayload } from '../model/rejected-payload.ts';
import type { WorkerEvent } from './events.ts';
import type { FlowOptions } from './flow.ts';
import type { Lanes } from './lanes.ts';
import type { Outcomes } from './outcomes.ts';

/** What the attempts of one job's queue are made with. */
export interface ProcessorOptions {
  readonly job: AnyJob;
  readonly limits: JobLimits;
  readonly ports: Ports;
  readonly outcomes: Outcomes;
  readonly lanes: Lanes;
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
  /** What the job's envelope held; `undefined` when it cannot be opened. */
  opened?: OpenedJob;
}

export interface OpenedJob {
  readonly key: string;
  readonly payload: unknown;
  /** In its lane, when it has one. */
  readonly place: LanePlace | undefined;
}
