import { fingerprintOf } from '../fingerprint.ts';
import { findingPackage } from '../located-packages.ts';
import type { Rule } from '../rule.ts';

/** Versions that their authors marked deprecated. A note: a warning, not a vulnerability. */
export const deprecated: Rule = {
  name: 'deprecated',
  description: 'The locked version is marked deprecated.',
  readsRecords: true,
  level: 'note',
  severity: 'low',
  judge: ({ packages, target }) =>
    packages.flatMap((located) => {
      const { locked } = located;
      const { record } = locked.resolution;
      if (record?.isDeprecated !== true) return [];
      // Authors' texts can contain line breaks; a title is one line.
      const reason = (record.deprecatedReason ?? '').replace(/\s+/g, ' ').trim();
      return [
        {
          fingerprint: fingerprintOf(target.id, 'deprecated', locked.purl, ''),
          title: reason === '' ? `${locked.name}@${locked.version} is deprecated` : `Deprecated: ${reason}`,
          package: findingPackage(located),
          locations: located.locations(),
        },
      ];
    }),
};
