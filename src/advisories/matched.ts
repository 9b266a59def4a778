import { canonicalVersion, type System, storedName, type VersionKey } from '../model/lockfile/ecosystem.ts';
import type { PublishedVersions } from '../model/scan/inventory.ts';
import { affects, fixedAfter, fixedVersions, highestOf } from './affects.ts';
import { claimsAbout } from './claims.ts';
import type { Advisories, StoredAffected } from './database.ts';

/** The ids of advisories that affect a version, and of those whose versions cannot be compared with it. */
export interface MatchedIds {
  readonly own: readonly string[];
  readonly undecided?: string[];
}

type PackageKey = Pick<VersionKey, 'system' | 'name'>;

/**
 * The statements of imported advisories about versions and packages. Each version of a covered system has the advisories that affect it,
 * and those of which this cannot be decided.
 */
export function matchedWith(advisories: Advisories) {
  const covered: ReadonlySet<System> = new Set(advisories.coverage().map(({ system }) => system));
  return {
    find: advisories.find,
    claimsAbout: (key: PackageKey, ids: Parameters<typeof claimsAbout>[1]) =>
      claimsAbout(key, ids, advisories),
    /** The statements about each version, in order; `undefined` for one that is not covered. */
    affecting(keys: readonly VersionKey[]): readonly (MatchedIds | undefined)[] {
      const found = new Array<MatchedIds | undefined>(keys.length);
      const places = Map.groupBy(keys.keys(), (at) => keys[at]?.system);
      for (const [system, own] of places) {
        if (system === undefined || !covered.has(system)) continue;
        const names = own.map((at) => storedName(system, keys[at]?.name ?? ''));
        const about = advisories.about(system, new Set(names));
        for (const [index, at] of own.entries())
          found[at] = idsOf(about.get(names[index] ?? '') ?? [], system, keys[at]?.version ?? '');
      }
      return found;
    },
    /** The lowest version in which all is fixed that affects a version; `undefined` where an advisory does not say so, or none affects it. */
    fixedIn({ system, name, version }: VersionKey): string | undefined {
      const stored = storedName(system, name);
      const about = covered.has(system) ? (advisories.about(system, [stored]).get(stored) ?? []) : [];
      const fixes = about
        .filter((one) => affects(one, system, version) !== false)
        .map((one) => fixedAfter(one, system, version));
      const highest = highestOf(fixes, system);
      return highest && canonicalVersion(highest, name, system);
    },
    /** The versions that advisories name as fixed. */
    publishedVersions({ system, name }: PackageKey): PublishedVersions | undefined {
      if (!covered.has(system)) return undefined;
      const stored = storedName(system, name);
      const fixed = new Set(advisories.about(system, [stored]).get(stored)?.flatMap(fixedVersions));
      return {
        versions: Array.from(fixed, (version) => ({
          version: canonicalVersion(version, name, system),
          isDefault: false,
          isDeprecated: false,
        })),
        isPartial: true,
        from: 'osv',
      };
    },
  };
}

function idsOf(about: readonly StoredAffected[], system: System, version: string): MatchedIds {
  const [own, undecided]: [string[], string[]] = [[], []];
  for (const one of about) {
    const isAffected = affects(one, system, version);
    if (isAffected === undefined) undecided.push(one.id);
    if (isAffected) own.push(one.id);
  }
  return undecided.length === 0 ? { own } : { own, undecided };
}
