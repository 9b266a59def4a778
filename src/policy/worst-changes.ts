import type { Change } from '../model/scan/change.ts';
import { countedSeverity, RATED_SEVERITIES } from '../model/scan/severity.ts';
import { endsAlert, TRANSITIONS, type Transition, type TransitionCounts } from '../model/scan/transition.ts';

/**
 * The worst changes, at most `limit`: findings that are open before resolved ones, then by severity. `omitted`: `undefined` when all are
 * listed.
 */
export function worstChanges<One extends Change>(changes: readonly One[], limit: number) {
  if (changes.length <= limit) return { changes, omitted: undefined };
  const kept = new Set(changes.toSorted((left, right) => rankOf(left) - rankOf(right)).slice(0, limit));
  return {
    changes: changes.filter((change) => kept.has(change)),
    omitted: countTransitions(changes.filter((change) => !kept.has(change))),
  };
}

/** Number of changes by transition; every transition has an entry. */
export function countTransitions(changes: readonly Change[]): Record<Transition, number> {
  const counts = {
    opened: 0,
    worsened: 0,
    reopened: 0,
    disputed: 0,
    suppressed: 0,
    resolved: 0,
  } satisfies TransitionCounts;
  for (const { transition } of changes) counts[transition] += 1;
  return counts;
}

/** Sum of counts; `undefined` when it is zero. */
export function addCounts(
  all: readonly (Partial<TransitionCounts> | undefined)[],
): TransitionCounts | undefined {
  const sum = countTransitions([]);
  for (const counts of all) {
    for (const transition of TRANSITIONS) sum[transition] += counts?.[transition] ?? 0;
  }
  return TRANSITIONS.some((transition) => sum[transition] > 0) ? sum : undefined;
}

function rankOf({ transition, finding }: Change): number {
  return (
    (endsAlert(transition) ? RATED_SEVERITIES.length : 0) + RATED_SEVERITIES.indexOf(countedSeverity(finding))
  );
}
