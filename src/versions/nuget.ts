import { inIntervals, parseIntervals } from './intervals.ts';
import { compareNumbers, numbersOf } from './numbers.ts';
import { compareSemantic } from './semantic.ts';
import type { VersionScheme } from './version-scheme.ts';

const VERSION = /^v?(\d+(?:\.\d+){0,3})(-[\dA-Za-z-]+(?:\.[\dA-Za-z-]+)*)?(?:\+[\w.-]+)?$/;

/** NuGet: up to four numbers, then as in semantic versions; upper and lower case are equal. */
export const nuget: VersionScheme = {
  isValid: (version) => VERSION.test(version),
  compare(left, right) {
    const [one, other] = [parse(left), parse(right)];
    const order = compareNumbers(one.numbers, other.numbers);
    return order === 0 ? compareSemantic(`0.0.0${one.prerelease}`, `0.0.0${other.prerelease}`) : order;
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
  const wanted = prefix === undefined ? [] : numbersOf(prefix);
  return prerelease === '' && wanted.every((number, at) => (numbers[at] ?? 0n) === number);
}

function parse(version: string): { readonly numbers: readonly bigint[]; readonly prerelease: string } {
  const [, numbers = '0', prerelease = ''] = VERSION.exec(version) ?? [];
  return { numbers: numbersOf(numbers), prerelease: prerelease.toLowerCase() };
}
