import { LRUCache } from 'lru-cache';
import { lazily } from '../../model/lazily.ts';
import { canonicalName, systemOf } from '../../model/lockfile/ecosystem.ts';
import { advisoryNames } from '../../model/scan/advisory-names.ts';
import type { Finding } from '../../model/scan/finding.ts';
import type { Suppression } from '../../model/scan/suppression.ts';
import { isTooWide, TOO_WIDE } from '../../model/scan/too-wide.ts';
import { matchesWildcard } from '../../model/wildcard.ts';
import type { VersionMatch } from '../../versions/version-match.ts';

/** A suppression that applies to the target. */
export interface Rule {
  readonly suppression: Suppression;
  readonly matchesVersion: (version: string) => boolean;
  uses: number;
  /** Why it did not suppress a finding that it names. */
  refused: string | undefined;
}

/** The libraries that read ranges are loaded where a suppression has one: they take longer to load than a small scan. */
export async function rulesOf(suppressions: readonly Suppression[]): Promise<readonly Rule[]> {
  const hasRange = suppressions.some(({ package: scope }) => scope?.versions !== undefined);
  const ranges = hasRange ? await import('../../versions/version-match.ts') : undefined;
  return suppressions.map((suppression) => {
    const { ecosystem = '', version: exact, versions } = suppression.package ?? {};
    const match =
      versions === undefined || ranges === undefined
        ? (version: string) => exact === undefined || version === exact
        : matchOf(versions, ecosystem, ranges.versionMatch);
    if (isTooWide(suppression)) {
      return { suppression, matchesVersion: () => false, uses: 0, refused: TOO_WIDE };
    }
    if (typeof match !== 'string') return { suppression, matchesVersion: match, uses: 0, refused: undefined };
    // A range that cannot be read suppresses no version, and overrules what suppresses any.
    return { suppression, matchesVersion: () => suppression.overrules === true, uses: 0, refused: match };
  });
}

/** Ranges that are parsed, by ecosystem and text: a refresh judges thousands of targets by the same ones. */
const matches = lazily(() => new LRUCache<string, VersionMatch>({ max: 10_000 }));

function matchOf(
  versions: string,
  ecosystem: string,
  read: (text: string, ecosystem: string) => VersionMatch,
): VersionMatch {
  const key = `${ecosystem} ${versions}`;
  const match = matches().get(key) ?? read(versions, ecosystem);
  matches().set(key, match);
  return match;
}

/** The rules that may fit a finding, in the order in which they are configured. */
export type RuleIndex = (finding: Finding) => readonly Rule[];

export function indexRules(rules: readonly Rule[]): RuleIndex {
  const rows = new Map<string, number[]>();
  const others: number[] = [];
  const add = (key: string, position: number): void => {
    const row = rows.get(key);
    if (row === undefined) rows.set(key, [position]);
    else row.push(position);
  };
  for (const [position, { suppression }] of rules.entries()) {
    const keys = keysOf(suppression);
    if (keys === undefined) others.push(position);
    else for (const key of keys) add(key, position);
  }
  return (finding) => {
    const keys = [packageKey(finding.package), ...advisoryNames(finding).map(advisoryKey)];
    const found = new Set([...others, ...keys.flatMap((key) => rows.get(key) ?? [])]);
    return [...found].sort((left, right) => left - right).flatMap((position) => rules[position] ?? []);
  };
}

/** The keys of which a finding needs one; `undefined` where it needs none. The same suppressions are indexed for each target. */
function keysOf(suppression: Suppression): readonly string[] | undefined {
  const known = KEYS.get(suppression);
  if (known !== undefined) return known.keys;
  const { advisories, package: scope } = suppression;
  const ofPackage = scope === undefined || scope.name.includes('*') ? undefined : [packageKey(scope)];
  const keys = advisories === undefined ? ofPackage : [...new Set(advisories.map(advisoryKey))];
  KEYS.set(suppression, { keys });
  return keys;
}

const KEYS = new WeakMap<Suppression, { readonly keys: readonly string[] | undefined }>();

function advisoryKey(id: string): string {
  return `advisory ${id.toUpperCase()}`;
}

function packageKey({ ecosystem, name }: { readonly ecosystem: string; readonly name: string }): string {
  return `package ${ecosystem} ${spelled(name, ecosystem)}`;
}

function spelled(name: string, ecosystem: string): string {
  const system = systemOf(ecosystem);
  return system === undefined ? name : canonicalName(name, system);
}

export function fits({ suppression, matchesVersion }: Rule, finding: Finding): boolean {
  if (isTooWide(suppression)) return false;
  const { advisories, package: scope, rule } = suppression;
  if (rule !== undefined && rule !== finding.rule) return false;
  if (advisories !== undefined) {
    const names = new Set(advisoryNames(finding).map(advisoryKey));
    if (!advisories.some((id) => names.has(advisoryKey(id)))) return false;
  }
  if (scope === undefined) return true;
  const { ecosystem, name, version } = finding.package;
  return (
    scope.ecosystem === ecosystem &&
    matchesWildcard(spelled(scope.name, ecosystem), spelled(name, ecosystem)) &&
    matchesVersion(version)
  );
}
