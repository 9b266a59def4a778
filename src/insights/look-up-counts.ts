import type { Known } from '../model/ports/shared-state.ts';
import { type EndedLookUps, endedLookUps } from '../model/telemetry.ts';
import { InsightsError } from './errors.ts';
import type { VersionLookUp } from './resolve/version-look-up.ts';

type Ended = Known<unknown> | { readonly error: unknown };

const OUTCOMES = ['found', 'missing', 'uncovered', 'failed'] as const satisfies EndedLookUps['outcome'][];

/** Publishes the numbers of ended look-ups by outcome. `undefined` counts as not ended. */
export function countLookUps(
  kind: string,
  from: EndedLookUps['from'],
  answers: Iterable<Ended | undefined>,
): void {
  const counts = { found: 0, missing: 0, uncovered: 0, failed: 0 };
  for (const answer of answers) if (answer !== undefined) counts[outcomeOf(answer)] += 1;
  for (const outcome of OUTCOMES) {
    if (counts[outcome] > 0) endedLookUps.publish({ kind, from, outcome, count: counts[outcome] });
  }
}

/** Returns the look-up with answers that are counted. */
export function countedVersions(lookUp: VersionLookUp): VersionLookUp {
  return (lookUps, signal, settled) =>
    lookUp(lookUps, signal, (answers) => {
      countLookUps(
        'version',
        'service',
        answers.map(([, answer]) => answer),
      );
      settled(answers);
    });
}

function outcomeOf(answer: Ended): EndedLookUps['outcome'] {
  if ('error' in answer) {
    return answer.error instanceof InsightsError && answer.error.code === 'uncovered'
      ? 'uncovered'
      : 'failed';
  }
  return 'record' in answer ? 'found' : 'missing';
}
