import type { FlowJob, FlowProducer, Queue } from 'bullmq';
import { jobIdOf } from '../jobs/contract.ts';
import type { Envelope } from '../jobs/envelope.ts';
import type { FollowUp } from '../jobs/follow-up.ts';
import type { AnyJob } from '../jobs/job.ts';
import type { LanePlace } from '../model/lane.ts';
import type { OutcomeReader } from './outcomes.ts';

export interface FlowOptions {
  readonly producer: FlowProducer;
  readonly queues: ReadonlyMap<string, Queue>;
  readonly jobs: ReadonlyMap<string, AnyJob>;
  readonly outcomes: OutcomeReader;
  readonly prefix: string;
}

/**
 * Enqueues what follows from a job. May be repeated at any time: work that has an outcome or is queued already is left
 * alone, and ids made of job and key keep two callers from queueing it twice.
 */
export async function enqueueFollowUps(options: FlowOptions, next: readonly FollowUp[]): Promise<void> {
  for (const followUp of next) {
    const job = jobNamed(options, followUp.job);
    const { key } = envelopeOf(job, followUp);
    if ((await options.outcomes.read(job.name, key)) !== undefined) continue;
    if ((await options.queues.get(job.name)?.getJob(jobIdOf(job.name, key))) !== undefined) continue;
    await options.producer.add(flowJob(options, followUp));
  }
}

/** The places of follow-ups whose jobs have lanes. */
export function placesOf(jobs: ReadonlyMap<string, AnyJob>, next: readonly FollowUp[]): readonly LanePlace[] {
  return next.flatMap(({ job: name, payload }) => {
    const place = placeOf(jobNamed({ jobs }, name), payload);
    return place === undefined ? [] : [place];
  });
}

/** The place of a job in its lane, when it has one. */
export function placeOf(job: AnyJob, payload: unknown): LanePlace | undefined {
  const lane = job.lane?.(payload);
  return lane === undefined ? undefined : { lane, id: jobIdOf(job.name, job.key(payload)) };
}

function flowJob(options: FlowOptions, followUp: FollowUp, child = false): FlowJob {
  const { job: name, children } = followUp;
  const envelope = envelopeOf(jobNamed(options, name), followUp);
  return {
    name,
    queueName: name,
    prefix: options.prefix,
    data: envelope,
    opts: {
      jobId: jobIdOf(name, envelope.key),
      // A child that failed is a missing fact, which the parent reports; it must not take the parent with it.
      ...(child ? { ignoreDependencyOnFailure: true } : {}),
    },
    ...(children === undefined || children.length === 0
      ? {}
      : { children: children.map((one) => flowJob(options, one, true)) }),
  };
}

/** Release 0.1.0 saved follow-ups of version 1 without version and key. */
function envelopeOf(job: AnyJob, { version, key, payload }: Partial<Envelope>): Envelope {
  return { version: version ?? 1, key: key ?? job.key(payload), payload };
}

function jobNamed({ jobs }: Pick<FlowOptions, 'jobs'>, name: string): AnyJob {
  const job = jobs.get(name);
  if (job === undefined) throw new RangeError(`no job is named "${name}"`);
  return job;
}
