import type { SeenVersions } from '../../model/ports/shared-state.ts';
import type { Resolution } from '../../model/scan/inventory.ts';
import type { LookUp } from './eligibility.ts';

/**
 * Resolutions, by key, of look-ups for which the service has no version. `seen`: versions that the index had before; without it
 * none are known. Rejects when it cannot be read.
 */
export async function judgeMissing(
  seen: SeenVersions | undefined,
  missing: readonly LookUp[],
): Promise<ReadonlyMap<string, Resolution>> {
  const before = missing.length === 0 ? [] : await seen?.has(missing.map(({ key }) => key));
  const judged = missing.map(({ key }, index): [string, Resolution] => [
    key,
    before?.[index] === true
      ? { outcome: 'missing', seenBefore: true, reason: `the index no longer has ${key}` }
      : { outcome: 'missing', reason: `the index has no ${key}` },
  ]);
  return new Map(judged);
}
