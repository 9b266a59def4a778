import { hash } from 'node:crypto';

/**
 * The BullMQ id of a job: equal keys have equal ids, so the job is queued once. A hash with a leading letter, because
 * BullMQ refuses ids that contain `:` or are integers.
 */
export function jobIdOf(job: string, key: string): string {
  return `j${hash('sha256', JSON.stringify([job, key])).slice(0, 40)}`;
}
