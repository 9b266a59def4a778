import { defined } from '../model/defined.ts';
import { storedName, type VersionKey } from '../model/lockfile/ecosystem.ts';
import type { AdvisoryClaim } from '../model/scan/claim.ts';
import { versionsText } from './affects.ts';
import type { Advisories, StoredAdvisory } from './database.ts';

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
