import type { FlowJob, FlowProducer, Queue } from 'bullmq';
import { sealEnvelope } from '../jobs/envelope.ts';
import { type AnyJob, jobIdOf } from '../jobs/job.ts';
import { defined } from '../model/defined.ts';
import type { OpenJob, OpenJobs, StoredFollowUp } from '../model/queue/open-job.ts';
import type { Outcomes } from '../model/queue/outcome.ts';
import { chunks } from '../model/yielding.ts';
import { ensureQueued } from './queued-jobs.ts';

export interface FlowOptions {
  readonly producer: FlowProducer;
  readonly queues: ReadonlyMap<string, Queue>;
  readonly jobs: ReadonlyMap<string, AnyJob>;
  readonly outcomes: Outcomes;
  readonly openJobs: OpenJobs;
  readonly prefix: string;
}

const CONCURRENCY = 50;

/**
 * Enqueues the follow-ups of a job. May be repeated at any time: jobs that are completed, failed permanently or queued are
 * skipped, and ids derived from job and key keep two callers from queueing one twice.
 */
export async function enqueueFollowUps(options: FlowOptions, next: readonly StoredFollowUp[]): Promise<void> {
  for (let at = 0; at < next.length; at += CONCURRENCY) {
    await allEnded(next.slice(at, at + CONCURRENCY).map((followUp) => enqueueFollowUp(options, followUp)));
  }
}

/** Rejects with the first error when all have ended: a job that ends before its commands may be queued again once it is done. */
async function allEnded(work: readonly Promise<unknown>[]): Promise<void> {
  await Promise.allSettled(work);
  await Promise.all(work);
}

/**
 * Enqueues the follow-ups of an outcome that was just saved, without a look at the queues: they were opened with it, so no queue holds
 * them.
 * If one does, because Redis lost an earlier outcome of the job, the reconciler restarts it.
 */
export async function addFollowUps(options: FlowOptions, opened: readonly OpenJob[]): Promise<void> {
  for (const part of chunks(opened, CONCURRENCY)) {
    const [parents, plain] = [part.filter(hasChildren), part.filter((open) => !hasChildren(open))];
    await allEnded([
      ...(parents.length === 0
        ? []
        : [options.producer.addBulk(parents.map((open) => flowJob(options, open, open.children ?? [])))]),
      ...[...Map.groupBy(plain, ({ job }) => job)].map(([name, own]) => addPlain(options, name, own)),
    ]);
  }
}

function hasChildren({ children = [] }: OpenJob): boolean {
  return children.length > 0;
}

/** Adds jobs without children: a flow would add each in a transaction. */
async function addPlain({ queues }: FlowOptions, name: string, all: readonly OpenJob[]): Promise<void> {
  const jobs = all.map(({ data, id }) => ({ name, data, opts: { jobId: id } }));
  const [only, ...others] = jobs;
  if (only === undefined) return;
  const queue = queues.get(name);
  if (queue === undefined) throw new RangeError(`no queue is named "${name}"`);
  await (others.length === 0 ? queue.add(name, only.data, only.opts) : queue.addBulk(jobs));
}

/**
 * The records of follow-ups that a job returned, to be stored with its outcome. Throws `EnvelopeError` (`invalid-payload`):
 * then the job fails, and nothing is stored.
 */
export function openJobsOf(jobs: FlowOptions['jobs'], next: readonly StoredFollowUp[]): readonly OpenJob[] {
  for (const followUp of next) checkPayloads(jobs, followUp);
  return next.map((followUp) => openJobOf(jobs, followUp));
}

function checkPayloads(jobs: FlowOptions['jobs'], { job, payload, children = [] }: StoredFollowUp): void {
  sealEnvelope(jobNamed(jobs, job), payload);
  for (const child of children) checkPayloads(jobs, child);
}

/** The record that is stored until the job is completed or has failed permanently. */
export function openJobOf(jobs: FlowOptions['jobs'], followUp: StoredFollowUp): OpenJob {
  const { job: name, version, key, payload, children } = followUp;
  const lane = jobNamed(jobs, name).lane?.(payload);
  return {
    id: jobIdOf(name, key),
    job: name,
    data: { version, key, payload },
    ...defined({ lane }),
    ...(children === undefined || children.length === 0 ? {} : { children }),
  };
}

/** Makes sure that the queue of an open job holds it, neither completed nor failed, while it is open. */
export function ensureOpenJob(options: FlowOptions, open: OpenJob): ReturnType<typeof ensureQueued> {
  return ensureQueued(options.queues.get(open.job), open.id, {
    isOpen: async () => (await options.openJobs.find(open.id)) !== undefined,
    add: async () => options.producer.add(flowJob(options, open, await childrenToRun(options, open))),
  });
}

async function enqueueFollowUp(options: FlowOptions, followUp: StoredFollowUp): Promise<void> {
  const open = openJobOf(options.jobs, followUp);
  const stored = await options.openJobs.find(open.id);
  if (stored !== undefined) {
    await ensureOpenJob(options, stored);
    return;
  }
  // It is closed; or it was never opened, because a schedule started it or Redis lost the outcome that it follows from.
  if (await options.outcomes.has(open.job, open.data.key)) return;
  if (open.lane !== undefined && (await isAbsent(options, open.lane, open.id))) return;
  if ((await options.queues.get(open.job)?.getJob(open.id)) !== undefined) return;
  await options.producer.add(flowJob(options, open, open.children ?? []));
}

async function isAbsent({ openJobs }: FlowOptions, lane: string, id: string): Promise<boolean> {
  return (await openJobs.turn({ lane, id })).kind === 'absent';
}

/**
 * The children that did not fail permanently: the parent would wait for the others forever. Their missing facts are
 * gaps.
 */
async function childrenToRun(options: FlowOptions, open: OpenJob): Promise<readonly StoredFollowUp[]> {
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

function flowJob(options: FlowOptions, open: OpenJob, children: readonly StoredFollowUp[]): FlowJob {
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

/** A failed child is a missing fact that the parent reports; it must not fail the parent. */
function childJob(options: FlowOptions, child: StoredFollowUp): FlowJob {
  const job = flowJob(options, openJobOf(options.jobs, child), child.children ?? []);
  return { ...job, opts: { ...job.opts, ignoreDependencyOnFailure: true } };
}

function jobNamed(jobs: FlowOptions['jobs'], name: string): AnyJob {
  const job = jobs.get(name);
  if (job === undefined) throw new RangeError(`no job is named "${name}"`);
  return job;
}
