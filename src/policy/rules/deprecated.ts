import { namedSuccessor } from '../named-successor.ts';
import type { Rule } from '../rule.ts';

/** Versions that their authors marked deprecated. A note: a warning, not a vulnerability. */
export const deprecated: Rule = {
  name: 'deprecated',
  description: 'The locked version is marked deprecated.',
  readsRecords: true,
  level: 'note',
  severity: 'low',
  judge({ locked: { name, version, resolution } }) {
    const { record } = resolution;
    if (record?.isDeprecated !== true) return [];
    // Authors' texts can contain line breaks; a title is one line.
    const reason = (record.deprecatedReason ?? '').replace(/\s+/g, ' ').trim();
    const successor = namedSuccessor(reason, name);
    return [
      {
        title: reason === '' ? `${name}@${version} is deprecated` : `Deprecated: ${reason}`,
        ...(successor === undefined ? {} : { advice: `Its authors name ${successor} as its successor.` }),
      },
    ];
  },
};
