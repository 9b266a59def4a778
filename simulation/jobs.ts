/** Stands for `jobs/catalog.ts` in a history. */
import { JOBS as ALL } from '../src/jobs/catalog.ts';
import type { AnyJob } from '../src/jobs/job.ts';
import type { Plan } from './plan.ts';

/**
 * No plan leads to these jobs: it has no images, signals or published lists. The queue of each of them would be much of what an idle worker
 * does. A history that opens one of these jobs never ends: it is not done.
 */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'check-contract',
  'find-base-image',
  'inspect-packages',
  'refresh-exploits',
  'scan-source',
]);

/** Jobs of installations with several routes, sources and lockfiles without edges. */
const OF_LARGE: ReadonlySet<string> = new Set([
  'expand-dependencies',
  'judge-source',
  'read-source',
  'run-schedule',
]);

/** Of installations that send digests or reminders. */
const GATHERS = 'gather-digest';

/** Of installations with manifests that override versions. */
const LOOKS_UP = 'look-up-exceptions';

for (const name of [...LEFT_OUT, ...OF_LARGE, GATHERS, LOOKS_UP])
  if (!ALL.some((job) => job.name === name)) throw new RangeError(`there is no job ${name}`);

export const JOBS: AnyJob[] = [];

/** Selects the jobs of the workers that start from now on. */
export function selectJobs({
  isLarge,
  isTimed,
  hasOverrides,
}: Pick<Plan, 'isLarge' | 'isTimed' | 'hasOverrides'>): void {
  const isUsed = (name: string): boolean => {
    if (name === LOOKS_UP) return hasOverrides;
    return !LEFT_OUT.has(name) && (isLarge || (name === GATHERS ? isTimed : !OF_LARGE.has(name)));
  };
  const used = ALL.filter(({ name }) => isUsed(name));
  JOBS.splice(0, JOBS.length, ...used);
}
