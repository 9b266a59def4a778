import { Queue } from 'bullmq';
import { pino } from 'pino';
import { z } from 'zod';
import { sealEnvelope } from '../../src/jobs/envelope.ts';
import {
  type AnyJob,
  type FollowUp,
  followUp,
  type Job,
  type JobLimits,
  type JobRun,
  type JobType,
  jobIdOf,
  type RunContext,
} from '../../src/jobs/job.ts';
import type { OpenJobs } from '../../src/model/queue/open-job.ts';
import type { Outcomes } from '../../src/model/queue/outcome.ts';
import { createKeys } from '../../src/store/keys.ts';
import { createOpenJobStore } from '../../src/store/outcomes/open-jobs.ts';
import { createOutcomeStore } from '../../src/store/outcomes/outcomes.ts';
import { closeRedis, connectRedis, type RedisClient } from '../../src/store/redis/connection.ts';
import { createRejectedStore, type RejectedStore } from '../../src/store/rejected.ts';
import type { WorkerEvent } from '../../src/workers/events.ts';
import { type Runtime, type RuntimeOptions, startWorkers } from '../../src/workers/runtime.ts';
import { startRedis } from '../redis.ts';

export interface Payload {
  readonly id: string;
}

/** A follow-up of a test job. */
export function testFollowUp(name: string, id: string, children: readonly FollowUp[] = []): FollowUp {
  return followUp(testType(name), { id }, children);
}

function testType(name: string, version = 1): JobType<Payload> {
  return { name, version, schema: () => z.strictObject({ id: z.string() }), key: ({ id }) => id };
}

/** A job that calls `run`, with defaults for everything else. */
export function testJob(
  name: string,
  run: (payload: Payload, context: RunContext) => Promise<Partial<JobRun<unknown>> | undefined>,
  changes: Partial<JobLimits> & Pick<Partial<Job>, 'version'> = {},
): Job<Payload> {
  const { version = 1, ...limits } = changes;
  return {
    ...testType(name, version),
    limits: {
      attempts: 3,
      backoffMs: 20,
      maxBackoffMs: 100,
      timeoutMs: 30_000,
      concurrency: 4,
      ...limits,
    },
    async run(payload, _ports, context) {
      return { result: payload.id, next: [], ...(await run(payload, context)) };
    },
  };
}

export interface WorkerRoom {
  readonly url: string;
  readonly redis: RedisClient;
  bench(name: string): Bench;
  close(): Promise<void>;
}

/** Queues and a store of one test. */
export interface Bench {
  readonly prefix: string;
  readonly outcomes: Outcomes;
  readonly openJobs: OpenJobs;
  readonly rejected: RejectedStore;
  readonly events: WorkerEvent[];
  readonly log: string[];
  queue(name: string): Queue;
  /** Enqueues as the producer does; resolves to the job's id. */
  enqueue(job: AnyJob, id: string, options?: object): Promise<string>;
  start(jobs: readonly AnyJob[], changes?: Partial<RuntimeOptions>): Promise<Runtime>;
}

/** A separate Redis engine. Closing it closes all that tests started on its benches. */
export async function openWorkerRoom(): Promise<WorkerRoom> {
  const valkey = await startRedis();
  const redis = await connectRedis({ urls: valkey.url });
  const closing: (() => Promise<unknown>)[] = [];
  return {
    url: valkey.url,
    redis,
    bench: (name) => openBench(redis, name, closing),
    async close() {
      for (const step of closing.reverse()) await step();
      await closeRedis(redis);
      await valkey.close();
    },
  };
}

function openBench(redis: RedisClient, name: string, closing: (() => Promise<unknown>)[]): Bench {
  const keys = createKeys(name);
  const outcomes = createOutcomeStore(redis, keys);
  const openJobs = createOpenJobStore(redis, keys);
  const rejected = createRejectedStore(redis, keys);
  const events: WorkerEvent[] = [];
  const log: string[] = [];
  const queue = (of: string): Queue => {
    const opened = new Queue(of, { connection: redis, prefix: keys.prefix });
    closing.push(() => opened.close());
    return opened;
  };
  return {
    prefix: keys.prefix,
    outcomes,
    openJobs,
    rejected,
    events,
    log,
    queue,
    async enqueue(job, id, options = {}) {
      const jobId = jobIdOf(job.name, id);
      await queue(job.name).add(job.name, sealEnvelope(job, { id } as never), { jobId, ...options });
      return jobId;
    },
    async start(jobs, changes = {}) {
      const runtime = await startWorkers({
        jobs,
        ports: {} as RuntimeOptions['ports'],
        outcomes,
        openJobs,
        connection: redis,
        prefix: keys.prefix,
        log: pino({ level: 'debug' }, { write: (line) => void log.push(line) }),
        onEvent: (event) => events.push(event),
        reject: rejected.add,
        keptCompleted: 100,
        ...changes,
      });
      closing.push(() => runtime.close(0));
      return runtime;
    },
  };
}
