import { inIntervals, parseIntervals } from './intervals.ts';
import { maven } from './maven.ts';
import { nuget } from './nuget.ts';
import { comparePython, parsePython, pythonSpecifiers } from './pep440.ts';
import { ruby } from './ruby.ts';
import { inSemanticRange, isSameSemantic, isSemantic, isSemanticRange } from './semantic.ts';
import { isInVers, isVers, readVers } from './vers.ts';
import type { VersionScheme } from './version-scheme.ts';

/** Compares versions of one ecosystem, or says why the text is neither a version nor a range there. */
export type VersionMatch = ((version: string) => boolean) | string;

/**
 * The versions of an ecosystem that a text selects: a range of the VERS specification, a range in the notation of the ecosystem (by its own
 * order, prereleases included), or one version. An empty text selects all.
 */
export function versionMatch(text: string, ecosystem: string): VersionMatch {
  const wanted = text.trim();
  if (wanted === '' || wanted === '*') return () => true;
  if (isVers(wanted)) {
    const range = readVers(wanted, ecosystem);
    return typeof range === 'string' ? range : (version) => isInVers(version, range);
  }
  const match = nativeMatch(wanted, ecosystem);
  // A version that the library cannot read is compared as text.
  if (match !== undefined) return (version) => version === wanted || match(version);
  if (isPlain(wanted)) return (version) => version === wanted;
  return `"${wanted}" is neither a version nor a range of ${ecosystem}`;
}

/** Whether a text can only be one version. */
export function isPlain(text: string): boolean {
  return /^[^\s<>=~^!|,*[\]()]+$/.test(text);
}

type Match = (version: string) => boolean;

/** `undefined` when the text is nothing that the ecosystem can read, or the ecosystem has no order here. */
function nativeMatch(text: string, ecosystem: string): Match | undefined {
  switch (ecosystem) {
    case 'npm':
    case 'cargo':
    case 'golang':
      return semverMatch(text);
    case 'pypi':
      return pythonMatch(text);
    case 'gem':
      return rubyMatch(text);
    case 'maven':
      return intervalMatch(text, maven);
    case 'nuget':
      return intervalMatch(text, nuget);
    default:
      return undefined;
  }
}

/** Ranges select pre-releases by the order. */
const BY_ORDER = { includePrerelease: true };

/** `4` and `4.17` are ranges (all 4.x), as npm has them. Cargo separates comparators by commas. */
function semverMatch(text: string): Match | undefined {
  const wanted = bare(text);
  const range = text.replaceAll(',', ' ').replace(/\bgo(?=\d)/g, '');
  const isOne = isSemantic(wanted);
  if (!isOne && !isSemanticRange(range, BY_ORDER)) return undefined;
  return (version) => {
    const own = bare(version);
    if (!isSemantic(own)) return false;
    return isOne ? isSameSemantic(own, wanted) : inSemanticRange(own, range, BY_ORDER) === true;
  };
}

/** The version without the prefix of Go's standard library, whose first releases have two numbers: `go1.21`. */
function bare(version: string): string {
  if (!version.startsWith('go')) return version;
  const number = version.slice(2);
  return /^\d+\.\d+$/.test(number) ? `${number}.0` : number;
}

function pythonMatch(text: string): Match | undefined {
  const wanted = parsePython(text);
  const holds = wanted === undefined ? pythonSpecifiers(text) : undefined;
  if (wanted === undefined && holds === undefined) return undefined;
  return (version) => {
    const own = parsePython(version);
    if (own === undefined) return false;
    return wanted === undefined ? holds?.(version) === true : comparePython(own, wanted) === 0;
  };
}

function rubyMatch(text: string): Match | undefined {
  if (ruby.satisfies('0', text) === undefined) return undefined;
  return (version) => ruby.isValid(version) && ruby.satisfies(version, text) === true;
}

const COMPARATOR = /^(<=|>=|<|>|=|!=)?\s*([^\s<>=!^~]+)$/;

/** Intervals (`[1.0,2.0)`), comparators that all hold (`>=1.0,<2.0`), or one version. */
function intervalMatch(text: string, scheme: VersionScheme): Match | undefined {
  if (/[[(]/.test(text)) {
    const intervals = parseIntervals(text);
    const bounds = intervals?.flatMap(({ lower, upper }) => [lower, upper]) ?? [];
    if (intervals === undefined || !bounds.every((one) => one === undefined || scheme.isValid(one.version))) {
      return undefined;
    }
    return (version) => scheme.isValid(version) && inIntervals(version, intervals, scheme.compare);
  }
  const comparators = text.split(',').map((part) => COMPARATOR.exec(part.trim()));
  if (!comparators.every((one) => one !== null && scheme.isValid(one[2] ?? ''))) return undefined;
  const holds = comparators.map((one) => comparatorMatch(one?.[1] ?? '=', one?.[2] ?? '', scheme));
  return (version) => scheme.isValid(version) && holds.every((match) => match(version));
}

function comparatorMatch(comparator: string, bound: string, { compare }: VersionScheme): Match {
  switch (comparator) {
    case '<':
      return (version) => compare(version, bound) < 0;
    case '<=':
      return (version) => compare(version, bound) <= 0;
    case '>':
      return (version) => compare(version, bound) > 0;
    case '>=':
      return (version) => compare(version, bound) >= 0;
    case '!=':
      return (version) => compare(version, bound) !== 0;
    default:
      return (version) => compare(version, bound) === 0;
  }
}
