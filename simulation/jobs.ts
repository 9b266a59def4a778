/** Stands for `jobs/catalog.ts` in a history. */
import { JOBS as ALL } from '../src/jobs/catalog.ts';
import type { AnyJob } from '../src/jobs/job.ts';

/**
 * No plan leads to these jobs: it has no sources, images, digests, signals or published lists, and its lockfiles state their edges. The queue of
 * each of them would be half of the commands of an idle worker. A history that opens one of these jobs never ends: it is not done.
 */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'check-contract',
  'expand-dependencies',
  'find-base-image',
  'gather-digest',
  'inspect-packages',
  'judge-source',
  'read-source',
  'refresh-exploits',
  'run-schedule',
  'scan-source',
]);

export const JOBS: readonly AnyJob[] = ALL.filter(({ name }) => !LEFT_OUT.has(name));
if (JOBS.length + LEFT_OUT.size !== ALL.length) throw new RangeError('a job that is left out does not exist');
