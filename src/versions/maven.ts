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
  /** The separator before it; empty for a transition between digits and letters. */
  readonly separator: string;
  readonly text: string;
}

function tokens(version: string): readonly Token[] {
  const found = version.toLowerCase().matchAll(/([-._]?)(\d+|[^\d\-._]+|(?=[-._]|$))/g);
  return Array.from(found, ([, separator = '', text = ''], index) => {
    return { separator, text, index };
  }).map(({ separator, text }, index, all) => {
    const isBeforeDigit = /^\d/.test(all[index + 1]?.text ?? '') && all[index + 1]?.separator === '';
    return { separator, text: (isBeforeDigit ? SHORT[text] : undefined) ?? ALIASES[text] ?? text };
  });
}

/** Lists nest after each hyphen and each transition between digits and letters. */
function parse(version: string): readonly Item[] {
  const root: Item[] = [];
  let list = root;
  const nest = () => {
    trim(list);
    // What means nothing before a hyphen does not nest what follows it: `1-ga-1` is `1-1`.
    if (list.length === 0) return;
    const inner: Item[] = [];
    list.push(inner);
    list = inner;
  };
  let last: Token | undefined;
  for (const token of tokens(version)) {
    const isNumber = /^\d/.test(token.text);
    const turns = last !== undefined && token.separator === '' && /^\d/.test(last.text) !== isNumber;
    if (token.separator === '-' || turns) nest();
    if (token.text === '' && last === undefined) continue;
    list.push(isNumber ? BigInt(token.text) : token.text);
    last = token;
  }
  trim(list);
  return root;
}

/** Removes what means nothing at the end of a list: zeros, releases, empty lists. */
function trim(list: Item[]): void {
  while (list.length > 0 && compareItems(list.at(-1), undefined) === 0) list.pop();
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
