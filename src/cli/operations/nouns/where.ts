import type { WhereAnswer } from '../../../model/api/lockhound-api.generated.ts';
import type { Noun } from '../noun.ts';

/** The columns of periods in which targets held a package. */
export const PERIODS = {
  periods: 'target labels lockfile name version direct through from notKnownBefore until notKnownAfter',
  from: 'at commit',
  until: 'at commit',
};

export const NOUN: Noun = {
  resource: 'packages',
  verbs: {
    where: {
      args: ['package', 'range'],
      limit: 50,
      isFound: ({ targets }: WhereAnswer) => targets > 0,
      shown: ({ otherVersions, places, ...answer }: WhereAnswer) => ({
        ...answer,
        // Periods tell of the places, too.
        ...(answer.periods === undefined && { places }),
        ...(otherVersions.count > 0 && { otherVersions }),
      }),
      columns: {
        places: 'target version direct lockfile line dependencyPath name outcome',
        ...PERIODS,
      },
    },
  },
  examples: `
Examples:
  lockhound where lodash                        every target with any version of lodash
  lockhound where 'lodash@<4.17.21'             a range, in the notation of npm
  lockhound where pkg:pypi/urllib3 '>=1.26,<2'  a purl, and a range in the notation of Python
  lockhound where lodash --label team=web       only targets of one team
  lockhound where 'debug@4.4.2' --ever          also where it was held before: from which scan and commit to which
  lockhound where 'debug@4.4.2' --since 2026-09-08T13:00Z --until 2026-09-08T16:00Z
  lockhound where 'debug@4.4.2' --at 3d         where it was held three days ago
  lockhound where 'debug@4.4.2' --unless-fixed-within 24h   without targets that got rid of it within a day

Names may have any spelling that their ecosystem takes as the same (\`Flask_Cors\` is \`flask-cors\` on PyPI).
Ranges: npm, cargo and golang (notation of npm), pypi (PEP 440), gem (\`~> 1.2\`). Versions of other ecosystems have
to be equal. Prereleases are in ranges.
Exit codes: 0 found, 1 no target holds it, 2 an error or an incomplete result.`,
};
