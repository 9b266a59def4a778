import { type Interval, inIntervals, parseIntervals } from './intervals.ts';
import type { VersionScheme } from './version-scheme.ts';

/** Qualifiers in their order; an unknown one comes after all of them, by its letters. `''` is the release. */
const QUALIFIERS = ['alpha', 'beta', 'milestone', 'rc', 'snapshot', '', 'sp'];
const ALIASES: Readonly<Record<string, string>> = { ga: '', final: '', release: '', cr: 'rc' };
/** Abbreviations, which count only directly before a digit. */
const SHORT: Readonly<Record<string, string>> = { a: 'alpha', b: 'beta', m: 'milestone' };
const RELEASE = QUALIFIERS.indexOf('');

/** A number, a qualifier, or what follows a hyphen. */
type Item = bigint | string | readonly Item[];

/**
 * Maven: the order of "POM Reference, Version Order Specification" (`ComparableVersion`), and its requirements. A requirement
 * without brackets is a recommendation, which a nearer one overrides.
 */
export const maven: VersionScheme = {
  isValid: (version) => version !== '' && !/[\s[\](),]/.test(version) && version.length <= 200,
  compare: (left, right) => compareLists(parse(left), parse(right)),
  isPrerelease: (version) => {
    const early = QUALIFIERS.slice(0, RELEASE);
    return tokens(version).some(({ text }) => early.includes(text));
  },
  line: (version) => /^\d+/.exec(version)?.[0] ?? '',
  satisfies(version, requirement) {
    const intervals = parseIntervals(requirement);
    if (intervals === undefined || !intervals.every(isValidInterval)) return undefined;
    return inIntervals(version, intervals, maven.compare);
  },
};

function isValidInterval({ lower, upper }: Interval): boolean {
  return [lower, upper].every((bound) => bound === undefined || maven.isValid(bound.version));
}

interface Token {
  /** The separator after it; empty at the end and at a transition between digits and letters. */
  readonly separator: string;
  readonly text: string;
  readonly isNumber: boolean;
  /** Whether a digit follows without a separator. */
  readonly isBeforeDigit: boolean;
}

const TOKEN = /(\d+|[^\d.-]+|(?=[.-]))(?:([.-])|(?=(\d))|)/g;

/** The numbers and qualifiers of a version. Nothing between two separators is a zero. */
function tokens(version: string): readonly Token[] {
  return Array.from(version.toLowerCase().matchAll(TOKEN), ([, text = '', separator = '', digit]) => {
    if (text === '') return { text: '0', separator, isNumber: true, isBeforeDigit: false };
    const isNumber = /^\d/.test(text);
    const isBeforeDigit = !isNumber && digit !== undefined;
    const full = isBeforeDigit && Object.hasOwn(SHORT, text) ? SHORT[text] : text;
    const name = full !== undefined && Object.hasOwn(ALIASES, full) ? ALIASES[full] : full;
    return { text: name ?? text, separator, isNumber, isBeforeDigit };
  });
}

/**
 * Lists nest after each hyphen, after each transition between digits and letters, and before a qualifier that a digit follows or that ends
 * the version: `1.rc1` is `1-rc-1`.
 */
function parse(version: string): readonly Item[] {
  const lists: Item[][] = [[]];
  const nest = () => {
    const inner: Item[] = [];
    lists.at(-1)?.push(inner);
    lists.push(inner);
  };
  for (const { text, separator, isNumber, isBeforeDigit } of tokens(version)) {
    const isLast = separator === '' && !isNumber && !isBeforeDigit;
    if ((isBeforeDigit || isLast) && lists.at(-1)?.length !== 0) nest();
    lists.at(-1)?.push(isNumber ? BigInt(text) : text);
    if (separator === '-' || isBeforeDigit || (isNumber && separator === '')) nest();
  }
  for (const list of lists.toReversed()) trim(list);
  return lists[0] ?? [];
}

/** Removes what means nothing at the end of a list and before the lists that end it: zeros, releases, empty lists. */
function trim(list: Item[]): void {
  for (let at = list.length - 1; at >= 0; at -= 1) {
    const item = list[at];
    if (item === 0n || item === '' || (Array.isArray(item) && item.length === 0)) list.splice(at, 1);
    else if (!Array.isArray(item)) return;
  }
}

function compareLists(left: readonly Item[], right: readonly Item[]): number {
  for (let at = 0; at < Math.max(left.length, right.length); at += 1) {
    const order = compareItems(left[at], right[at]);
    if (order !== 0) return order;
  }
  return 0;
}

/** A missing item is a zero, a release or an empty list. Of different kinds, qualifiers come before lists before numbers. */
function compareItems(left: Item | undefined, right: Item | undefined): number {
  if (left === undefined) return right === undefined ? 0 : -compareItems(right, undefined);
  if (typeof left === 'bigint') {
    if (right === undefined) return left === 0n ? 0 : 1;
    return typeof right === 'bigint' ? Number(left > right) - Number(left < right) : 1;
  }
  if (typeof left === 'string') {
    if (right === undefined) return compareQualifiers(left, '');
    return typeof right === 'string' ? compareQualifiers(left, right) : -1;
  }
  if (typeof right === 'bigint') return -1;
  return typeof right === 'string' ? 1 : compareLists(left, right ?? []);
}

function compareQualifiers(left: string, right: string): number {
  const [one, other] = [QUALIFIERS.indexOf(left), QUALIFIERS.indexOf(right)];
  if (one === -1 && other === -1) return left < right ? -1 : Number(left > right);
  return (one === -1 ? QUALIFIERS.length : one) - (other === -1 ? QUALIFIERS.length : other);
}
