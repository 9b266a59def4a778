import type { PackageChecks } from '../../../model/api/lockhound-api.generated.ts';
import { checksText } from '../../../report/gate-text.ts';
import { EXIT } from '../../program/errors.ts';
import type { Noun } from '../noun.ts';

export const NOUN: Noun = {
  resource: 'packages',
  verbs: {
    check: {
      method: 'lockhound.packages.check',
      args: ['packages'],
      items: 'packages',
      text: checksText,
      exit: exitOf,
      local: ({ config, ...rest }) =>
        config.redis.url === undefined
          ? async (body, signal) =>
              await (await import('../../../commands/check.ts')).checkAlone({ config, ...rest }, body, {
                signal,
              })
          : undefined,
    },
  },
  examples: `
Examples:
  lockhound check lodash                        may the default version of an npm package be added?
  lockhound check 'react@^19' left-pad@1.3.0    ranges, in the notation of the ecosystem
  lockhound check pkg:pypi/requests             a purl; or: requests --ecosystem pypi
  lockhound check lodash --target org/shop      by the policy and the suppressions of a target
  lockhound check lodash --json --server https://lockhound.example.com

Each package gets allow, warn or block, by \`policy.gate\` (docs/gate.md). What is not known is a warning. Without Redis and a server
the package-insights API alone answers. Packages that a package requires are not judged.
Exit codes: 0 all are allowed, 1 one is blocked or warned about, 2 an error, or warnings only because something is not known.`,
};

/** As of a scan: findings, or else something that could not be found out. */
function exitOf({ packages }: PackageChecks): number {
  const reasons = packages.flatMap((one) => one.reasons).filter(({ decision }) => decision !== 'allow');
  if (reasons.length === 0) return EXIT.clean;
  return reasons.every(({ code }) => code === 'unknown') ? EXIT.error : EXIT.findings;
}
