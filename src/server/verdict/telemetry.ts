import type { HealthPart } from '../../model/api/lockhound-api.generated.ts';
import type { HealthFacts } from './health-facts.ts';
import { count, span } from './words.ts';

/** Records that are missing for so many intervals are missing. */
const MISSED = 4;

/** Is what the workers say about themselves fresh? */
export function judgeTelemetry({ workers, settings, now }: HealthFacts): HealthPart {
  const part = 'telemetry';
  const running = workers.filter((one) => one.running).map(({ record }) => record);
  const died = workers.length - running.length;
  const late = running.filter(({ seenAt }) => now - Date.parse(seenAt) > MISSED * settings.recordEveryMs);
  const lost = running.filter(({ traces }) => traces === 'lost');
  const releases = [...new Set(running.map(({ release }) => release))].sort();
  if (late.length > 0) {
    const [first] = late;
    const says = `worker ${first?.host} (process ${first?.pid}) has not reported for ${span(now - Date.parse(first?.seenAt ?? ''))}`;
    return {
      part,
      grade: 'degraded',
      says,
      remedy: 'Its clock may be wrong, or its event loop blocked: `lockhound doctor`.',
    };
  }
  if (lost.length > 0) {
    const says = `traces of ${count(lost.length, 'worker')} are lost: the exporter fails`;
    return {
      part,
      grade: 'degraded',
      says,
      remedy: 'Check the collector; the log of the worker has the error.',
    };
  }
  if (releases.length > 1) {
    const says = `workers of several releases run: ${releases.join(', ')}`;
    return { part, grade: 'degraded', says, remedy: 'Complete the upgrade, unless it is in progress.' };
  }
  if (died > 0) {
    const says = `${count(died, 'worker')} ended without stopping in the last hour`;
    return {
      part,
      grade: 'degraded',
      says,
      remedy: 'Look for its last log lines, and at its memory limit.',
    };
  }
  // Nobody reports: nothing is known, and another part says that no worker runs.
  if (running.length === 0)
    return { part, grade: 'unknown', says: 'no worker reports', remedy: 'Start a worker.' };
  const release = releases[0] === undefined ? '' : ` of release ${releases[0]}`;
  return {
    part,
    grade: 'fine',
    says: `${count(running.length, 'worker')}${release} ${running.length === 1 ? 'reports' : 'report'} regularly`,
  };
}
