import ignore from 'ignore';
import type { Target } from '../model/scan/change.ts';
import type { Finding } from '../model/scan/finding.ts';
import { MAX_OWNERS, OWNER, type OwnerRule } from '../model/scan/owner.ts';
import type { Policy } from '../model/scan/policy.ts';
import { isBoundedPattern } from '../model/wildcard.ts';
import { isAbout } from './suppressions/suppressor.ts';

/** Patterns are not compared with deeper paths, which takes cubic time. */
const MAX_DEPTH = 64;
/** Lines of a file beyond these are not read. */
const MAX_LINES = 20_000;

/** A word of a line; a backslash takes the meaning of the next character. */
const WORDS = /(?:\\.|[^\s\\])+/g;
/** The head of a section of GitLab: `[Name]`, `^[Name][2]`, and the owners of entries without any. */
const SECTION = /^\^?\[[^\]]+\](?:\[\d+\])?(.*)$/;

/**
 * Returns the owners of a file by a CODEOWNERS file of GitHub or GitLab. `path` is below the root of the repository. The last
 * pattern that matches counts; in a file with sections, the last one of each section, with the owners of the section where it
 * has none.
 */
export function codeOwners(text: string, path: string): readonly string[] {
  const bySection: string[][] = [[]];
  let defaults: readonly string[] = [];
  for (const line of text.split('\n', MAX_LINES)) {
    const trimmed = line.trim();
    const section = SECTION.exec(trimmed);
    if (section !== null) {
      defaults = ownersIn(wordsOf(section[1] ?? ''));
      bySection.push([]);
      continue;
    }
    const [pattern, ...words] = wordsOf(trimmed);
    if (pattern === undefined || pattern.startsWith('#')) continue;
    const isExcluded = pattern.startsWith('!');
    if (!matchesPath(isExcluded ? pattern.slice(1) : pattern, path)) continue;
    const own = ownersIn(words);
    bySection[bySection.length - 1] = isExcluded ? [] : [...(own.length > 0 ? own : defaults)];
  }
  return unique(bySection.flat());
}

/** The owners of the findings of a target: by lockfile, else by the first rule of the configuration that fits. */
export function findingOwners(
  { owners: rules = [] }: Policy,
  target: Target,
  byPath: ReadonlyMap<string, readonly string[]>,
): (finding: Finding) => Finding {
  const fitting = rules.filter((rule) => isAbout(rule, target));
  const known = new Map<string, readonly string[]>();
  const ownersOf = (path: string): readonly string[] => {
    const own = known.get(path) ?? byPath.get(path) ?? ruleFor(fitting, path)?.owners ?? [];
    known.set(path, own);
    return own;
  };
  return (finding) => {
    const owners = unique(finding.locations.flatMap(({ path }) => ownersOf(path)));
    return owners.length === 0 ? finding : { ...finding, owners };
  };
}

function ruleFor(rules: readonly OwnerRule[], path: string): OwnerRule | undefined {
  return rules.find(({ paths }) => paths === undefined || paths.some((one) => matchesPath(one, path)));
}

/** Whether a pattern in the notation of `.gitignore` matches a path. `folder/*` does not match what is deeper. */
function matchesPath(pattern: string, path: string): boolean {
  if (!isBoundedPattern(pattern)) return false;
  const parts = path.split('/');
  if (parts.length > MAX_DEPTH) return false;
  if (/[^*/]\/\*$/.test(pattern) && !pattern.includes('**')) {
    const depth = pattern.replace(/^\//, '').split('/').length;
    if (parts.length !== depth) return false;
  }
  return ignore().add(pattern).ignores(path);
}

function wordsOf(line: string): readonly string[] {
  const words = line.match(WORDS) ?? [];
  const comment = words.findIndex((word, index) => index > 0 && word.startsWith('#'));
  return comment < 0 ? words : words.slice(0, comment);
}

function ownersIn(words: readonly string[]): readonly string[] {
  return words.filter((word) => OWNER.test(word));
}

function unique(owners: readonly string[]): string[] {
  return [...new Set(owners)].sort().slice(0, MAX_OWNERS);
}
