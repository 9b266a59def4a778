import { explain, satisfies as inSpecifier, eq as samePython, validRange } from '@renovatebot/pep440';
import { satisfies as inRequirement, eq as sameRuby, valid as validRuby } from '@renovatebot/ruby-semver';
import Range from 'semver/classes/range.js';
import parse from 'semver/functions/parse.js';
import { systemOf } from '../model/lockfile/ecosystem.ts';
import { canonicalVersion } from '../model/lockfile/spelling.ts';

/** Ecosystems whose versions are compared with ranges; for the others, versions have to be equal. */
export const RANGE_ECOSYSTEMS = ['npm', 'cargo', 'golang', 'pypi', 'gem'] as const;

/** Compares versions of one ecosystem. `invalid`: the text is neither a version nor a range there. */
export type VersionMatch = ((version: string) => boolean) | 'invalid';

/**
 * The versions of an ecosystem that a text selects: a range by the ecosystem's own order, prereleases included, or one version.
 * An empty text selects all.
 */
export function versionMatch(text: string, ecosystem: string): VersionMatch {
  const wanted = text.trim();
  if (wanted === '' || wanted === '*') return () => true;
  switch (ecosystem) {
    case 'npm':
    case 'cargo':
    case 'golang':
      return semverMatch(wanted);
    case 'pypi':
      return orEqual(wanted, pythonMatch(wanted));
    case 'gem':
      return orEqual(wanted, rubyMatch(wanted));
    default:
      return isPlain(wanted) ? (version) => version === canonicalOf(wanted, ecosystem) : 'invalid';
  }
}

/** Whether a text can only be one version. */
function isPlain(text: string): boolean {
  return /^[^\s<>=~^!|,*[\]()]+$/.test(text);
}

function canonicalOf(version: string, ecosystem: string): string {
  const system = systemOf(ecosystem);
  return system === undefined ? version : canonicalVersion(version, '', system);
}

/** A version that the library cannot read is compared as text. */
function orEqual(text: string, matches: VersionMatch): VersionMatch {
  if (matches !== 'invalid') return (version) => version === text || matches(version);
  return isPlain(text) ? (version) => version === text : 'invalid';
}

/** `4` and `4.17` are ranges (all 4.x), as npm has them. Cargo separates comparators by commas. */
function semverMatch(text: string): VersionMatch {
  const plain = parse(bare(text), { loose: true });
  if (plain !== null) {
    return (version) => {
      const own = parse(bare(version), { loose: true });
      // Build metadata has no order; where it is asked for, it has to be equal.
      return (
        own !== null &&
        own.compare(plain) === 0 &&
        (plain.build.length === 0 || own.compareBuild(plain) === 0)
      );
    };
  }
  const range = rangeOf(text.replaceAll(',', ' ').replace(/\bgo(?=\d)/g, ''));
  return orEqual(
    text,
    range === undefined
      ? 'invalid'
      : (version) => parse(bare(version), { loose: true }) !== null && range.test(bare(version)),
  );
}

/** Without the prefix of Go's standard library, whose first releases have two numbers: `go1.21`. */
function bare(version: string): string {
  if (!version.startsWith('go')) return version;
  const number = version.slice(2);
  return /^\d+\.\d+$/.test(number) ? `${number}.0` : number;
}

function rangeOf(text: string): Range | undefined {
  try {
    return new Range(text, { includePrerelease: true, loose: true });
  } catch {
    return undefined;
  }
}

function pythonMatch(text: string): VersionMatch {
  if (explain(text) !== null) return (version) => explain(version) !== null && samePython(version, text);
  if (!validRange(text)) return 'invalid';
  return (version) => explain(version) !== null && inSpecifier(version, text, { prereleases: true });
}

/** Parts of a requirement of RubyGems: `~> 1.2`, `< 2`. */
const REQUIREMENT = /^\s*(?:=|!=|>=|<=|~>|>|<)?\s*(\S+)\s*$/;

function rubyMatch(text: string): VersionMatch {
  if (validRuby(text) !== null) return (version) => validRuby(version) !== null && sameRuby(version, text);
  const isRange = text.split(',').every((part) => validRuby(REQUIREMENT.exec(part)?.[1] ?? '') !== null);
  if (!isRange) return 'invalid';
  return (version) => validRuby(version) !== null && inRequirement(version, text);
}
