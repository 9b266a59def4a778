import type { SpentOutcomes } from '../../model/queue/spent-outcomes.ts';
import type { Keys } from '../keys.ts';

/** How long the value of a marked outcome stays readable. */
export const SPENT_TTL_MS = 15 * 60 * 1000;

/** Keys of the Lua function `spend`, and the number of marked outcomes among them. */
export function spentKeys(
  keys: Keys,
  { marked, removed }: SpentOutcomes,
): { readonly keys: readonly string[]; readonly marked: number } {
  const pairs = marked.flatMap(({ job, key }) => [keys.outcome(job, key), keys.spentOutcome(job, key)]);
  return {
    keys: [...pairs, ...removed.map(({ job, key }) => keys.outcome(job, key))],
    marked: marked.length,
  };
}
