import { fingerprintOf } from '../fingerprint.ts';
import { findingPackage } from '../located-packages.ts';
import type { Rule } from '../rule.ts';

/**
 * Versions that the index no longer has. High, because most were taken down for a reason, and a freed name can be claimed by
 * an attacker. Each version is a separate issue.
 */
export const vanished: Rule = {
  name: 'vanished',
  description:
    'The index had the version in an earlier scan of this installation and no longer has it: unpublished or taken down.',
  readsRecords: false,
  level: 'alert',
  severity: 'high',
  judge: ({ packages, target }) =>
    packages
      .filter(
        ({ locked: { resolution } }) => resolution.outcome === 'missing' && resolution.seenBefore === true,
      )
      .map((located) => ({
        fingerprint: fingerprintOf(target.id, 'vanished', located.locked.purl, ''),
        title: `${located.locked.name}@${located.locked.version} is no longer in the package index`,
        package: findingPackage(located),
        locations: located.locations(),
        issue: located.locked.version,
        advice:
          'It was unpublished or taken down. Find out why before you install it from a cache or mirror.',
      })),
};
