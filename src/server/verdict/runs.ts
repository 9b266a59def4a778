import type { HealthPart } from '../../model/api/lockhound-api.generated.ts';
import type { FleetNumbers } from '../metrics/fleet-numbers.ts';
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
    add(unanswered === requests ? 'broken' : 'degraded', says, remedy);
  }
  parts.push(...alertFaults(counts, stoppedRoutes).map((fault) => ({ part: 'runs' as const, ...fault })));
  if (failedJobs > 0) {
    const where = failed.map(({ queue, failed: jobs }) => `${queue} ${jobs}`).join(', ');
    add(
      'degraded',
      `${count(failedJobs, 'job')} failed permanently (${where})`,
      'Run `lockhound doctor`: it lists the reasons.',
    );
  }
  if (counts.incompleteTargets > 0) {
    const remedy = 'Run `lockhound scans`: it shows what the scans could not see.';
    add('degraded', `the last scan of ${count(counts.incompleteTargets, 'target')} was incomplete`, remedy);
  }
  if (counts.failingSources > 0) {
    add(
      'degraded',
      `the sources of ${count(counts.failingSources, 'target')} cannot be read`,
      'Run `lockhound schedules`.',
    );
  }
  if (unreadable > 0) {
    add(
      'degraded',
      `${count(unreadable, 'stored value')} cannot be read`,
      'The log names the keys and what to do.',
    );
  }
  if (parts.length > 0) return parts;
  const open = counts.openDeliveries;
  const rest = open === 0 ? 'every alert is delivered' : `${count(open, 'alert')} on the way`;
  return [{ part: 'runs', grade: 'fine', says: `runs succeed: no job failed permanently, ${rest}` }];
}

/** What keeps alerts from being sent, and payloads from being read. `lockhound doctor` says the same. */
export function alertFaults(
  {
    failedDeliveries,
    rejectedPayloads,
  }: Pick<FleetNumbers['counts'], 'failedDeliveries' | 'rejectedPayloads'>,
  stoppedRoutes: FleetNumbers['stoppedRoutes'],
): readonly (Pick<HealthPart, 'grade' | 'says'> & { readonly remedy: string })[] {
  const payloads = count(rejectedPayloads, 'payload of a producer was', 'payloads of producers were');
  return [
    ...stoppedRoutes.map(({ route, at, reason }) => ({
      grade: 'broken' as const,
      says: `route ${route} is stopped since ${at} (${reason}), and its alerts are held`,
      remedy: `Repair the receiver, then run \`lockhound deliveries resume ${route}\`.`,
    })),
    ...(failedDeliveries === 0
      ? []
      : [
          {
            grade: 'broken' as const,
            says: `${count(failedDeliveries, 'alert')} failed permanently`,
            remedy:
              'Run `lockhound deliveries --state failed`, then `lockhound deliveries retry --state failed`.',
          },
        ]),
    ...(rejectedPayloads === 0
      ? []
      : [
          {
            grade: 'degraded' as const,
            says: `${payloads} refused`,
            remedy: 'Run `lockhound rejected`.',
          },
        ]),
  ];
}
