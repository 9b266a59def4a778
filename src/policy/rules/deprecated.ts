import type { VersionRecordSummary } from '../../model/scan/inventory.ts';
import type { Rule, RuleFinding } from '../rule.ts';
import { QUARANTINED } from './quarantined.ts';

export const deprecated: Rule = {
  name: 'deprecated',
  title: 'A locked version is deprecated',
  description:
    'The locked version is marked deprecated, or its project is archived or deprecated in the registry.',
  help: {
    means:
      'the authors marked the version deprecated. Their text is the title. Or the registry (PyPI) has the ' +
      'project as archived, deprecated, or in another status that is not active.',
    sure: 'it is their statement. It says nothing about vulnerabilities.',
    todo: 'plan the replacement; the advice names a successor where the text does.',
  },
  readsRecords: true,
  level: 'note',
  severity: 'low',
  judge({ locked: { name, version, resolution } }) {
    const { record } = resolution;
    if (record?.isDeprecated !== true) return ofProject(name, record);
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

/** A project that the registry has not as active. */
function ofProject(name: string, record: VersionRecordSummary | undefined): readonly RuleFinding[] {
  const { status = ACTIVE, reason = '' } = record?.projectStatus ?? {};
  if (status === ACTIVE || status === QUARANTINED) return [];
  const because = reason.replace(/\s+/g, ' ').trim();
  return [{ title: `The project ${name} is ${status}${because === '' ? '' : `: ${because}`}` }];
}

const ACTIVE = 'active';

/** Words that are no package. */
const NO_NAME = new Set([
  'a',
  'an',
  'another',
  'instead',
  'it',
  'node',
  'npm',
  'the',
  'this',
  'your',
  'version',
  'latest',
]);

const NAME = '(@[a-z0-9][\\w.-]*/[a-z0-9][\\w.-]*|[a-z0-9][\\w.-]*)';
const PHRASE = new RegExp(
  `\\b(?:use|migrate to|switch to|upgrade to|moved to|renamed to|replaced (?:by|with)|favou?r of|succeeded by) [\`'"]?${NAME}`,
  'i',
);

/** The package that a deprecation message names as its successor; `undefined` when it names none. */
export function namedSuccessor(message: string, deprecated: string): string | undefined {
  const name = PHRASE.exec(message.slice(0, 2_000))?.[1]?.replace(/(?<![.-])[.-]+$/, '') ?? '';
  // `use v2 instead` names a version.
  if (name === '' || name === deprecated || NO_NAME.has(name.toLowerCase()) || /^v?\d/.test(name))
    return undefined;
  // A single word may belong to the sentence: it counts when something marks it as a package.
  const isMarked = /[@/-]/.test(name) || /[`'"]/.test(message) || /\binstead\b|\bpackage\b/i.test(message);
  return isMarked ? name : undefined;
}
