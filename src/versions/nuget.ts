import { inIntervals, parseIntervals } from './intervals.ts';
import { compareSemantic } from './semantic.ts';
import type { VersionScheme } from './version-scheme.ts';

const VERSION = /^v?(\d+(?:\.\d+){0,3})(-[\w.-]+)?(?:\+[\w.-]+)?$/;

/** NuGet: up to four numbers, then as in semantic versions; upper and lower case are equal. */
export const nuget: VersionScheme = {
  isValid: (version) => VERSION.test(version),
  compare(left, right) {
    const [one, other] = [parse(left), parse(right)];
    for (let at = 0; at < 4; at += 1) {
      const order = (one.numbers[at] ?? 0) - (other.numbers[at] ?? 0);
      if (order !== 0) return order;
    }
    return compareSemantic(`0.0.0${one.prerelease}`, `0.0.0${other.prerelease}`);
  },
  isPrerelease: (version) => parse(version).prerelease !== '',
  line: (version) => String(parse(version).numbers[0] ?? ''),
  satisfies(version, requirement) {
    const floating = /^(\d+(?:\.\d+){0,2})\.\*$|^\*$/.exec(requirement.trim());
    if (floating !== null) return startsWith(version, floating[1]);
    const intervals = parseIntervals(requirement);
    const bounds = intervals?.flatMap(({ lower, upper }) => [lower, upper]);
    if (
      intervals === undefined ||
      !bounds?.every((bound) => bound === undefined || nuget.isValid(bound.version))
    ) {
      return undefined;
    }
    return inIntervals(version, intervals, nuget.compare);
  },
};

/** `1.2.*`: the highest version that begins with these numbers. */
function startsWith(version: string, prefix: string | undefined): boolean {
  const { numbers, prerelease } = parse(version);
  const wanted = prefix?.split('.').map(Number) ?? [];
  return prerelease === '' && wanted.every((number, at) => (numbers[at] ?? 0) === number);
}

function parse(version: string): { readonly numbers: readonly number[]; readonly prerelease: string } {
  const [, numbers = '', prerelease = ''] = VERSION.exec(version) ?? [];
  return { numbers: numbers.split('.').map(Number), prerelease: prerelease.toLowerCase() };
}
