import { findingPackage } from '../finding-package.ts';
import { fingerprintOf } from '../fingerprint.ts';
import type { Rule } from '../rule.ts';

/**
 * Versions that the index does not have. High, because what is locked and gone from the registry was most often
 * taken down for a reason, and a name nobody holds is one that anybody may take.
 */
export const missing: Rule = {
  name: 'missing',
  title: 'The index has no such version',
  readsRecords: false,
  judge: ({ packages, target }) =>
    packages
      .filter(({ locked }) => locked.resolution.outcome === 'missing')
      .map((placed) => ({
        fingerprint: fingerprintOf(target.id, 'missing', placed.locked.purl, ''),
        rule: 'missing',
        severity: 'high',
        title: `${placed.locked.name}@${placed.locked.version} does not exist in the package index`,
        package: findingPackage(placed),
        locations: placed.locations(),
        advice:
          'It was unpublished, taken down or never public. If it is private, list its name in insights.privatePackages.',
      })),
};
