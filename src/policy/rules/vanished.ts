import { fingerprintOf } from '../fingerprint.ts';
import { findingPackage } from '../located-packages.ts';
import type { Rule } from '../rule.ts';

/**
 * Versions that the index had and has no more. High, because what is locked and gone was most often taken down for a
 * reason, and a name that is free again is one that anybody may take. Each version is an issue of its own.
 */
export const vanished: Rule = {
  name: 'vanished',
  title: 'The index had the locked version and has it no more',
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
