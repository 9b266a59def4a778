import type { FlowJob, FlowProducer, Queue } from 'bullmq';
import type { Envelope } from '../jobs/envelope.ts';
import type { FollowUp } from '../jobs/follow-up.ts';
import type { AnyJob } from '../jobs/job.ts';
import { jobIdOf } from '../jobs/job-id.ts';
import type { OpenJob, OpenJobs } from '../model/queue/open-job.ts';
import type { OutcomeReader } from './outcomes.ts';
import { ensureQueued } from './queued-jobs.ts';

export interface FlowOptions {
  readonly producer: FlowProducer;
  readonly queues: ReadonlyMap<string, Queue>;
  readonly jobs: ReadonlyMap<string, AnyJob>;
  readonly outcomes: OutcomeReader;
  readonly openJobs: OpenJobs<FollowUp>;
  readonly prefix: string;
}

/** Enqueued side by side. */
const AT_ONCE = 50;

/**
 * Enqueues what follows from a job. May be repeated at any time: work that is done, given up or queued already is left
 * alone, and ids made of job and key keep two callers from queueing it twice.
 */
export async function enqueueFollowUps(options: FlowOptions, next: readonly FollowUp[]): Promise<void> {
  for (let at = 0; at < next.length; at += AT_ONCE) {
    await Promise.all(next.slice(at, at + AT_ONCE).map((followUp) => enqueueFollowUp(options, followUp)));
  }
}

/** A job as it is kept until it is done or given up. */
export function openJobOf(jobs: FlowOptions['jobs'], followUp: FollowUp): OpenJob<FollowUp> {
  const { job: name, payload, children } = followUp;
  const job = jobNamed(jobs, name);
  const data = envelopeOf(job, followUp);
  const lane = job.lane?.(payload);
  return {
    id: jobIdOf(name, data.key),
    job: name,
    data,
    ...(lane === undefined ? {} : { lane }),
    ...(children === undefined || children.length === 0 ? {} : { children }),
  };
}

/** Sees to it that the queue of an open job holds it, and not as one that is done or failed. */
export function ensureOpenJob(
  options: FlowOptions,
  open: OpenJob<FollowUp>,
): ReturnType<typeof ensureQueued> {
  return ensureQueued(options.queues.get(open.job), open.id, async () =>
    options.producer.add(flowJob(options, open, await childrenToRun(options, open))),
  );
}

async function enqueueFollowUp(options: FlowOptions, followUp: FollowUp): Promise<void> {
  const open = openJobOf(options.jobs, followUp);
  const kept = await options.openJobs.find(open.id);
  if (kept !== undefined) {
    await ensureOpenJob(options, kept);
    return;
  }
  // It is closed; or nobody opened it: it follows from the clock, or from an outcome that Redis has lost meanwhile.
  if (await options.outcomes.has(open.job, open.data.key)) return;
  if (open.lane !== undefined && (await isAbsent(options, open.lane, open.id))) return;
  if ((await options.queues.get(open.job)?.getJob(open.id)) !== undefined) return;
  await options.producer.add(flowJob(options, open, open.children ?? []));
}

async function isAbsent({ openJobs }: FlowOptions, lane: string, id: string): Promise<boolean> {
  return (await openJobs.turn({ lane, id })).kind === 'absent';
}

/**
 * Without those that have failed for good: BullMQ would have the parent wait for them for ever. What they were to find is a
 * gap.
 */
async function childrenToRun(options: FlowOptions, open: OpenJob<FollowUp>): Promise<readonly FollowUp[]> {
  const children = open.children ?? [];
  const queued = await Promise.all(
    children.map((child) => {
      const { job, id } = openJobOf(options.jobs, child);
      return options.queues.get(job)?.getJob(id);
    }),
  );
  return children.filter(
    (_, index) => queued[index]?.failedReason === undefined || queued[index]?.finishedOn === undefined,
  );
}

function flowJob(options: FlowOptions, open: OpenJob<FollowUp>, children: readonly FollowUp[]): FlowJob {
  const { prefix } = options;
  const { job: name, data, id } = open;
  return {
    name,
    queueName: name,
    prefix,
    data,
    opts: { jobId: id },
    ...(children.length === 0 ? {} : { children: children.map((child) => childJob(options, child)) }),
  };
}

/** A child that failed is a missing fact, which the parent reports; it must not take the parent with it. */
function childJob(options: FlowOptions, child: FollowUp): FlowJob {
  const job = flowJob(options, openJobOf(options.jobs, child), child.children ?? []);
  return { ...job, opts: { ...job.opts, ignoreDependencyOnFailure: true } };
}

/** Release 0.1.0 saved follow-ups of version 1 without version and key. */
function envelopeOf(job: AnyJob, { version, key, payload }: Partial<Envelope>): Envelope {
  return { version: version ?? 1, key: key ?? job.key(payload), payload };
}

function jobNamed(jobs: FlowOptions['jobs'], name: string): AnyJob {
  const job = jobs.get(name);
  if (job === undefined) throw new RangeError(`no job is named "${name}"`);
  return job;
}
