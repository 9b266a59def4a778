import { createHash } from 'node:crypto';

/**
 * The BullMQ id of a job: equal keys have equal ids, so the job is queued once. A hash with a leading letter, because
 * BullMQ refuses ids that contain `:` or are integers.
 */
export function jobIdOf(job: string, key: string): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([job, key]))
    .digest('hex');
  return `j${digest.slice(0, 40)}`;
}
