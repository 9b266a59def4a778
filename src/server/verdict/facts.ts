import type { HealthPart } from '../../model/fleet/health.ts';
import type { HealthFacts } from './health-facts.ts';
import { count, span } from './words.ts';

/** Are the facts about packages fresh? */
export function judgeFacts({ numbers, settings, now }: HealthFacts): HealthPart {
  const part = 'facts';
  const { refreshEveryMs, staleAfterMs } = settings;
  if (refreshEveryMs === 0) {
    return { part, grade: 'good', says: 'facts are not looked up again, because `watch.every` is 0' };
  }
  const { last, running } = numbers.refreshes.find(({ cadence }) => cadence === 'all') ?? {};
  const progress =
    running === undefined
      ? ''
      : `; a refresh is in progress (${running.done} of ${count(running.done + running.open, 'part')})`;
  if (last === undefined) {
    if (numbers.counts.targets === 0) return { part, grade: 'good', says: 'there are no targets yet' };
    return running === undefined
      ? {
          part,
          grade: 'attention',
          says: 'packages were never looked up again',
          remedy: 'A worker starts the refresh at its next time; check that one runs.',
        }
      : { part, grade: 'good', says: `packages are looked up again for the first time${progress}` };
  }
  const complete = last.completeAt === undefined ? undefined : now - Date.parse(last.completeAt);
  const age = complete === undefined ? 'they were never complete' : `they are ${span(complete)} old`;
  if (last.failingSince !== undefined) {
    const reason = last.reason ?? 'unknown reason';
    return {
      part,
      grade: complete === undefined || complete > staleAfterMs ? 'bad' : 'attention',
      says: `facts are out of date since ${last.failingSince}: ${reason}; ${age}${progress}`,
      remedy: 'Check the package-insights API with `lockhound doctor`; the next refresh repairs it.',
    };
  }
  const sinceStart = now - Date.parse(last.startedAt);
  if (sinceStart > refreshEveryMs + staleAfterMs) {
    const says = `packages were looked up last ${span(sinceStart)} ago${progress}`;
    return {
      part,
      grade: 'bad',
      says,
      remedy: 'The refresh does not start: check that a worker runs, then `lockhound doctor --fix`.',
    };
  }
  return { part, grade: 'good', says: `facts are fresh: ${age}${progress}` };
}
