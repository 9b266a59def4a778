import { sealEnvelope } from '../jobs/envelope.ts';
import type { ParsedJob, ProcessorOptions } from './attempt.ts';
import { idTaken } from './begin.ts';

/**
 * Moves a job whose target another shard has to the queue of that shard, where it stays open until it is done. Resolves to false
 * for a job of this shard. May be repeated: its id is the same there.
 */
export async function forwardJob(options: ProcessorOptions, parsed: ParsedJob): Promise<boolean> {
  const { job, flow, openJobs, log } = options;
  const { id, key, payload, lane, content } = parsed;
  const target = job.target?.(payload);
  const other = target === undefined ? undefined : options.shardOf?.(target);
  if (other === undefined) return false;
  const data = sealEnvelope(job, payload);
  const claim = content === undefined ? undefined : { scan: key, content };
  const outcome = { job: job.name, key };
  const { open, claim: claimed } = await other.openJobs.begin({
    id,
    ownId: id,
    lane: undefined,
    outcome,
    claim,
  });
  if (claimed === 'taken') throw idTaken(parsed);
  if (open === undefined) await other.openJobs.open({ id, job: job.name, data });
  await flow.producer.add({
    name: job.name,
    queueName: job.name,
    prefix: other.prefix,
    data,
    opts: { jobId: id },
  });
  await openJobs.close({ id, lane });
  log.debug({ job: job.name, key, prefix: other.prefix }, 'job moved to the shard of its target');
  return true;
}
