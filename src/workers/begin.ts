import { isDeepStrictEqual } from 'node:util';
import { EnvelopeError, openEnvelope } from '../jobs/envelope.ts';
import type { AnyJob } from '../jobs/job.ts';
import { jobIdOf } from '../jobs/job-id.ts';
import type { BegunJob, OpenJob } from '../model/queue/open-job.ts';
import type { Attempt, ParsedJob, ProcessorOptions } from './attempt.ts';

interface BegunAttempt {
  readonly parsed: ParsedJob;
  readonly begun: BegunJob;
}

/**
 * Reads the job, and in one step what Redis holds of it. The stored open job takes precedence over the data in the queue: Redis may
 * have lost part of either. Sets `stored` of the attempt. Throws `EnvelopeError`.
 */
export async function beginAttempt(options: ProcessorOptions, attempt: Attempt): Promise<BegunAttempt> {
  const { job, openJobs } = options;
  const { id = '', data } = attempt.queued;
  const parsed = inQueue(job, data);
  if (parsed instanceof EnvelopeError) {
    const open = await openJobs.find(id);
    attempt.stored = open;
    if (open === undefined) throw parsed;
    return await beginStored(options, id, open);
  }
  const begun = await begin(options, id, parsed);
  const { open } = begun;
  attempt.stored = open;
  const isSame = open === undefined || agrees(open, data, parsed);
  return isSame ? { parsed, begun } : await beginStored(options, id, open);
}

async function beginStored(options: ProcessorOptions, id: string, open: OpenJob): Promise<BegunAttempt> {
  const parsed = parseJob(options.job, open.data, open.lane);
  return { parsed, begun: await begin(options, id, parsed) };
}

function begin({ job, openJobs }: ProcessorOptions, id: string, parsed: ParsedJob): Promise<BegunJob> {
  const { id: ownId, lane, key } = parsed;
  return openJobs.begin({ id, ownId, lane, outcome: { job: job.name, key } });
}

function agrees(open: OpenJob, data: unknown, { lane }: ParsedJob): boolean {
  return (open.lane ?? lane) === lane && isDeepStrictEqual(open.data, data);
}

function inQueue(job: AnyJob, data: unknown): ParsedJob | EnvelopeError {
  try {
    return parseJob(job, data, undefined);
  } catch (error) {
    if (error instanceof EnvelopeError) return error;
    throw error;
  }
}

/** Reads the data of a queued or open job. Throws `EnvelopeError`. */
export function parseJob(job: AnyJob, data: unknown, lane: string | undefined): ParsedJob {
  const { key, payload } = openEnvelope(job, data);
  return { id: jobIdOf(job.name, key), key, payload, lane: lane ?? job.lane?.(payload) };
}
