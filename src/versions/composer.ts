import type { VersionScheme } from './version-scheme.ts';

/** A version as Composer normalises it: up to four numbers, a stability with its number, and build metadata, which has no order. */
const VERSION =
  /^v?(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?(?:[._-]?(?:(stable|beta|b|RC|alpha|a|patch|pl|p)([.-]?\d+(?:[.-]\d+)*)?)?([.-]?dev)?)?(?:\+\S+)?$/i;
/** A date of several parts: `2010.01.02`, `20100102-203040`. */
const DATE = /^v?\d{4}(?:[.:-]?\d{2}){1,6}(?:[.:-]?\d{1,3})?$/;

/** Stabilities in their order, by their first letters. */
const ORDER: Readonly<Record<string, number>> = { dev: 0, a: 1, b: 2, r: 3, s: 4, '': 4, p: 5 };

interface Parsed {
  readonly numbers: readonly number[];
  readonly stability: number;
  /** The number of the stability. */
  readonly stage: readonly number[];
  readonly isDev: boolean;
}

/** `undefined` for branches, such as `dev-main` and `1.x-dev`: nothing says which releases they follow. */
function parse(version: string): Parsed | undefined {
  const match = VERSION.exec(version);
  if (match === null) return DATE.test(version) ? dated(version) : undefined;
  const [, one = '', two = '0', three = '0', four = '0', word = '', stage = '', dev] = match;
  const letter = word.slice(0, 1).toLowerCase();
  const isDev = dev !== undefined && letter !== 's';
  return {
    numbers: [one, two, three, four].map(Number),
    stability: letter === '' && isDev ? 0 : (ORDER[letter] ?? 4),
    stage: letter === 's' ? [] : numbersIn(stage),
    isDev,
  };
}

function dated(version: string): Parsed {
  return { numbers: numbersIn(version), stability: 4, stage: [], isDev: false };
}

function numbersIn(text: string): readonly number[] {
  return (text.match(/\d+/g) ?? []).map(Number);
}

function compareNumbers(left: readonly number[], right: readonly number[]): number {
  for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function parsed(version: string): Parsed {
  const found = parse(version);
  if (found === undefined) throw new RangeError(`not a version of Composer: ${version}`);
  return found;
}

/** Composer, for PHP: the order of `composer/semver`, which is that of `version_compare`. Its requirements are not read. */
export const composer: VersionScheme = {
  isValid: (version) => parse(version) !== undefined,
  compare(left, right) {
    const [one, other] = [parsed(left), parsed(right)];
    return (
      compareNumbers(one.numbers, other.numbers) ||
      one.stability - other.stability ||
      compareNumbers(one.stage, other.stage) ||
      Number(other.isDev) - Number(one.isDev)
    );
  },
  isPrerelease: (version) => parsed(version).stability < 4 || parsed(version).isDev,
  line: (version) => {
    const [major = 0, minor = 0] = parsed(version).numbers;
    return major === 0 ? `0.${minor}` : String(major);
  },
  satisfies: () => undefined,
};
