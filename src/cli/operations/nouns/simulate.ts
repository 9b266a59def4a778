import type { SimulatedAdvisory } from '../../../model/api/lockhound-api.generated.ts';
import type { Noun } from '../noun.ts';

export const NOUN: Noun = {
  isGroup: true,
  verbs: {
    advisory: {
      method: 'lockhound.packages.simulate',
      args: ['package', 'range'],
      isFound: ({ targets }: SimulatedAdvisory) => targets.some(({ packages }) => packages.length > 0),
    },
  },
  examples: `
Examples:
  lockhound simulate advisory 'pkg:npm/lodash@<4.17.21' --severity critical
  lockhound simulate advisory lodash '>=4 <4.17.21'

Nothing is written and nothing is sent. Without --severity the advisory has no score, and counts as
\`policy.unknownSeverity\`.
Exit codes: 0 targets are reached, 1 none, 2 an error or an incomplete result.`,
};
