import { createHash } from 'node:crypto';

/**
 * The BullMQ job id of a job's work: the same work has the same id, so it is queued once. A hash with a leading letter,
 * because BullMQ refuses ids with `:` and plain integers.
 */
export function jobIdOf(job: string, key: string): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([job, key]))
    .digest('hex');
  return `j${digest.slice(0, 40)}`;
}
