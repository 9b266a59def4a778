import type { HealthPart } from '../../model/fleet/health.ts';
import type { HealthFacts } from './health-facts.ts';
import { count } from './words.ts';

/** Deliveries have their own sentence. */
const DELIVERY_QUEUE = 'deliver-notification';
const MOST = 0.5;

/** Do runs succeed? One sentence for each thing that did not. */
export function judgeRuns({ numbers, workers }: HealthFacts): readonly HealthPart[] {
  const { counts, stoppedRoutes, queues, unreadable } = numbers;
  const failed = queues.filter((queue) => queue.failed > 0 && queue.queue !== DELIVERY_QUEUE);
  const failedJobs = failed.reduce((sum, queue) => sum + queue.failed, 0);
  const parts: HealthPart[] = [];
  const add = (grade: HealthPart['grade'], says: string, remedy: string): void => {
    parts.push({ part: 'runs', grade, says, remedy });
  };
  const loads = workers.filter((one) => one.running).map(({ record }) => record.load);
  const requests = loads.reduce((sum, load) => sum + load.requests, 0);
  const unanswered = loads.reduce((sum, load) => sum + load.unanswered, 0);
  if (requests > 0 && unanswered / requests >= MOST) {
    const says = `the insights service fails: ${unanswered} of the last ${count(requests, 'request')} had no usable answer`;
    const remedy = 'Scans wait for it, and nothing is lost. `lockhound doctor` says how it fails.';
    add(unanswered === requests ? 'bad' : 'attention', says, remedy);
  }
  for (const { route, reason } of stoppedRoutes) {
    const remedy = `Repair the receiver, then run \`lockhound deliveries resume ${route}\`.`;
    add('bad', `route ${route} is stopped (${reason}), and its alerts are held`, remedy);
  }
  if (counts.failedDeliveries > 0) {
    const remedy = 'Run `lockhound deliveries list --failed`, then `lockhound deliveries retry --failed`.';
    add('bad', `${count(counts.failedDeliveries, 'alert')} failed permanently`, remedy);
  }
  if (failedJobs > 0) {
    const where = failed.map(({ queue, failed: jobs }) => `${queue} ${jobs}`).join(', ');
    add(
      'attention',
      `${count(failedJobs, 'job')} failed permanently (${where})`,
      'Run `lockhound doctor`: it lists the reasons.',
    );
  }
  if (counts.incompleteTargets > 0) {
    const remedy = 'Run `lockhound scans list`: it shows what the scans could not see.';
    add('attention', `the last scan of ${count(counts.incompleteTargets, 'target')} was incomplete`, remedy);
  }
  if (counts.failingSources > 0) {
    add(
      'attention',
      `the sources of ${count(counts.failingSources, 'target')} cannot be read`,
      'Run `lockhound schedule list`.',
    );
  }
  if (counts.rejectedPayloads > 0) {
    const what = count(counts.rejectedPayloads, 'payload of a producer was', 'payloads of producers were');
    add('attention', `${what} refused`, 'Run `lockhound rejected list`.');
  }
  if (unreadable > 0) {
    add(
      'attention',
      `${count(unreadable, 'stored value')} cannot be read`,
      'The log names the keys and what to do.',
    );
  }
  if (parts.length > 0) return parts;
  const open = counts.openDeliveries;
  const rest = open === 0 ? 'every alert is delivered' : `${count(open, 'alert')} on the way`;
  return [{ part: 'runs', grade: 'good', says: `runs succeed: no job failed permanently, ${rest}` }];
}
