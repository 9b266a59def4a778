import { defined } from '../model/defined.ts';
import { canonicalVersion, type System, storedName, type VersionKey } from '../model/lockfile/ecosystem.ts';
import type { AdvisoryClaim } from '../model/scan/claim.ts';
import type { PublishedVersions } from '../model/scan/inventory.ts';
import { affects, fixedAfter, fixedVersions, highestOf, versionsText } from './affects.ts';
import type { Advisories, StoredAdvisory, StoredAffected } from './database.ts';

/** The ids of advisories that affect a version, and of those whose versions cannot be compared with it. */
export type MatchedIds = ReturnType<typeof idsOf>;

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

function idsOf(about: readonly StoredAffected[], system: System, version: string) {
  const [own, undecided]: [string[], string[]] = [[], []];
  for (const one of about) {
    const isAffected = affects(one, system, version);
    if (isAffected === undefined) undecided.push(one.id);
    if (isAffected) own.push(one.id);
  }
  return undecided.length === 0 ? { own } : { own, undecided };
}

/** More advisories than any version has. */
const MAX_DIFFERENT = 200;

type Imported = Pick<Advisories, 'about' | 'find' | 'withdrawnAs'>;

/**
 * The statements of the service and of the imported advisories where they differ about a version: of each advisory that one of them lists.
 * `service` and `own`: the ids that each lists; `undecided`: those about which the imported ones say nothing. That the service does not
 * list one is a claim only when it knows the advisory, which is not known here.
 */
export function claimsAbout(
  { system, name }: Pick<VersionKey, 'system' | 'name'>,
  {
    service,
    own,
    undecided = [],
  }: Readonly<Record<'service' | 'own', readonly string[]>> & { readonly undecided?: readonly string[] },
  advisories: Imported,
): readonly AdvisoryClaim[] {
  const [stated, imported] = [new Set(service), new Set(own)];
  const different = [...new Set([...service, ...own])]
    .filter((id) => stated.has(id) !== imported.has(id))
    .slice(0, MAX_DIFFERENT);
  if (different.length === 0) return [];
  const stored = storedName(system, name);
  const rows = advisories.about(system, [stored]).get(stored) ?? [];
  const about = new Map(rows.map((one) => [one.id, one]));
  const listedBy = (id: string) => {
    const affected = about.get(id);
    return affected === undefined ? {} : { versions: versionsText(affected) };
  };
  return different.flatMap((id): AdvisoryClaim[] => {
    if (imported.has(id)) {
      const { modified, published = modified } = advisories.find(id) ?? { modified: '' };
      return [
        { id, source: 'osv', says: 'affected', ...timeOf(published), ...listedBy(id) },
        { id, source: 'api', says: 'unaffected' },
      ];
    }
    const listed: AdvisoryClaim = { id, source: 'api', says: 'affected' };
    const known = namedBy(id, [...about.keys()], advisories);
    if (known === undefined || undecided.includes(known.id)) return [listed];
    const { withdrawn, modified } = known;
    return [
      listed,
      withdrawn === undefined
        ? { id, source: 'osv', says: 'unaffected', ...timeOf(modified), ...listedBy(known.id) }
        : { id, source: 'osv', says: 'withdrawn', ...timeOf(withdrawn) },
    ];
  });
}

/** The imported advisory with this id, or among whose aliases it is: one of those about the package, or else one that is withdrawn. */
function namedBy(id: string, about: readonly string[], advisories: Imported): StoredAdvisory | undefined {
  const own = advisories.find(id);
  if (own !== undefined) return own;
  const named = about.flatMap((one) => advisories.find(one) ?? []);
  const [withdrawn = ''] = advisories.withdrawnAs(id);
  return named.find(({ aliases }) => aliases.includes(id)) ?? advisories.find(withdrawn);
}

/** Publishers that do not know a time state the year 1. */
function timeOf(time: string): { since?: string } {
  return defined({ since: Date.parse(time) > 0 ? time : undefined });
}
