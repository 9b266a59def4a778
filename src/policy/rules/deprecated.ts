import { namedSuccessor } from '../named-successor.ts';
import type { Rule } from '../rule.ts';

export const deprecated: Rule = {
  name: 'deprecated',
  title: 'A locked version is deprecated',
  description: 'The locked version is marked deprecated.',
  help: {
    means: 'the authors marked the version deprecated. Their text is the title.',
    sure: 'it is their statement. It says nothing about vulnerabilities.',
    todo: 'plan the replacement; the advice names a successor where the text does.',
  },
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
