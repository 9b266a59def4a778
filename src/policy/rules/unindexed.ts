import { findingPackage } from '../finding-package.ts';
import { fingerprintOf } from '../fingerprint.ts';
import type { Rule } from '../rule.ts';

/**
 * Versions that the index never had. A note, because the index lags behind the registries by hours to weeks; one that
 * stays so for longer is an alert. Each version is an issue of its own, so that the time starts again with a new one.
 */
export const unindexed: Rule = {
  name: 'unindexed',
  title: 'The index does not have the locked version, and never had it',
  readsRecords: false,
  level: 'note',
  severity: 'medium',
  noteLimit: ({ unindexedAfter }) => unindexedAfter,
  judge: ({ packages, target }) =>
    packages
      .filter(
        ({ locked: { resolution } }) => resolution.outcome === 'missing' && resolution.seenBefore !== true,
      )
      .map((placed) => ({
        fingerprint: fingerprintOf(target.id, 'unindexed', placed.locked.purl, ''),
        title: `${placed.locked.name}@${placed.locked.version} is not in the package index`,
        package: findingPackage(placed),
        locations: placed.locations(),
        issue: placed.locked.version,
        advice:
          'New releases take up to weeks to be indexed. If it is private, list its name in insights.privatePackages.',
      })),
};
