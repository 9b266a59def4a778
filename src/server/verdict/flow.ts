import type { HealthPart } from '../../model/api/lockhound-api.generated.ts';
import type { HealthFacts } from './health-facts.ts';
import { count, span } from './words.ts';

/** A job that could run is late after this time. */
const LATE_MS = 15 * 60_000;

/** Jobs of scans. They are delayed only until another attempt. */
const SCAN_QUEUES: ReadonlySet<string> = new Set([
  'scan-source',
  'ingest-lockfiles',
  'collect-advisories',
  'expand-dependencies',
  'judge-scan',
  'find-base-image',
]);

/** Does work flow? */
export function judgeFlow({ numbers, workers }: HealthFacts): HealthPart {
  const part = 'flow';
  const { queues } = numbers;
  const running = workers.filter((one) => one.running);
  const waiting = queues.reduce((sum, queue) => sum + queue.waiting, 0);
  const active = queues.reduce((sum, queue) => sum + queue.active, 0);
  const oldest = queues.reduce(
    (one, queue) => (queue.oldestMs > one.oldestMs ? queue : one),
    queues[0] ?? NONE,
  );
  const waits = `${count(waiting, 'job')} wait${waiting === 1 ? 's' : ''}`;
  if (running.length === 0) {
    const idle = waiting + active === 0 && oldest.oldestMs === 0;
    const since = oldest.oldestMs === 0 ? '' : `, the oldest for ${span(oldest.oldestMs)}`;
    // A delayed job whose time has come is not counted among those that wait.
    const work = waiting === 0 && oldest.oldestMs > 0 ? 'a job is due' : waits;
    return {
      part,
      grade: idle ? 'degraded' : 'broken',
      says: idle ? 'no worker runs' : `no worker runs, and ${work}${since}`,
      remedy: 'Start a worker: `lockhound worker`.',
    };
  }
  const finished = running.reduce((sum, { record }) => sum + record.load.finished, 0);
  const what = `${waits}, ${active} run${active === 1 ? 's' : ''} in ${count(running.length, 'worker')}`;
  if (oldest.oldestMs > LATE_MS) {
    const late = `the oldest job of ${oldest.queue} has waited for ${span(oldest.oldestMs)}`;
    return finished === 0
      ? {
          part,
          grade: 'broken',
          says: `work stands still: ${late}, and no job finished lately`,
          remedy: 'Look at the log of the workers, then run `lockhound doctor`.',
        }
      : {
          part,
          grade: 'degraded',
          says: `work is late: ${late}`,
          remedy: 'See which limit binds, below; otherwise start more workers.',
        };
  }
  const since = oldest.oldestMs < 1_000 ? '' : `, the oldest for ${span(oldest.oldestMs)}`;
  const failing = queues.reduce((sum, one) => sum + (SCAN_QUEUES.has(one.queue) ? one.delayed : 0), 0);
  if (failing === 0) return { part, grade: 'fine', says: `work flows: ${what}${since}` };
  const says = `${what}${since}; ${count(failing, 'job')} of scans failed and will run again`;
  if (finished > 0) return { part, grade: 'fine', says: `work flows: ${says}` };
  const remedy = 'The log of the workers has the reasons; `lockhound doctor` checks what scans need.';
  return { part, grade: 'degraded', says: `no job finished lately: ${says}`, remedy };
}

const NONE = { queue: '', waiting: 0, active: 0, delayed: 0, parents: 0, failed: 0, oldestMs: 0 };
