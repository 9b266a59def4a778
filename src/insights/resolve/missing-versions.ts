import type { VersionKey } from '../../model/lockfile/version-key.ts';
import type { SeenVersions } from '../../model/ports/seen-versions.ts';
import type { Resolution } from '../../model/scan/resolution.ts';
import type { LookUp } from './eligibility.ts';

/** What distinguishes the reasons why a version is missing. */
export interface MissingFacts {
  /** Versions that the index had before. Default: none are known. */
  readonly seen?: SeenVersions | undefined;
  /** Whether the service holds any version of a package, for services with little data. Default: all are covered. */
  readonly covers?: ((key: Pick<VersionKey, 'system' | 'name'>) => boolean) | undefined;
}

/** Resolutions, by key, of look-ups for which the service has no version. Rejects when `seen` cannot be read. */
export async function judgeMissing(
  { seen, covers }: MissingFacts,
  missing: readonly LookUp[],
): Promise<ReadonlyMap<string, Resolution>> {
  const before = missing.length === 0 ? [] : await seen?.has(missing.map(({ key }) => key));
  const judged = missing.map(({ key, versionKey }, index): [string, Resolution] => {
    if (before?.[index] === true) {
      return [key, { outcome: 'missing', seenBefore: true, reason: `the index no longer has ${key}` }];
    }
    if (covers?.(versionKey) === false) {
      return [key, { outcome: 'uncovered', reason: 'not in the local data set' }];
    }
    return [key, { outcome: 'missing', reason: `the index has no ${key}` }];
  });
  return new Map(judged);
}
