import { defined } from '../model/defined.ts';
import type { VersionKey } from '../model/lockfile/ecosystem.ts';
import type { AdvisoryClaim } from '../model/scan/claim.ts';
import type { Advisories } from './database.ts';
import { storedName } from './osv-record.ts';

/** More advisories than any version has. */
const MAX_DIFFERENT = 200;

/**
 * What the service and the imported advisories say where they differ about a version: of each advisory that one of them lists. `service`
 * and `own`: the ids that each lists. That the service does not list one is a claim only when it knows the advisory, which is not known here.
 */
export function claimsAbout(
  { system, name }: Pick<VersionKey, 'system' | 'name'>,
  { service, own }: { readonly service: readonly string[]; readonly own: readonly string[] },
  advisories: Pick<Advisories, 'about' | 'find'>,
): readonly AdvisoryClaim[] {
  const [stated, imported] = [new Set(service), new Set(own)];
  const different = [...new Set([...service, ...own])]
    .filter((id) => stated.has(id) !== imported.has(id))
    .slice(0, MAX_DIFFERENT);
  return different.flatMap((id): AdvisoryClaim[] => {
    if (imported.has(id)) {
      const { modified, published = modified } = advisories.find(id) ?? { modified: '' };
      return [
        { id, source: 'osv', says: 'affected', ...timeOf(published) },
        { id, source: 'api', says: 'unaffected' },
      ];
    }
    const listed: AdvisoryClaim = { id, source: 'api', says: 'affected' };
    const known = advisories.find(id) ?? namedBy(id, advisories, storedName(system, name), system);
    if (known === undefined) return [listed];
    const { withdrawn, modified } = known;
    return [
      listed,
      withdrawn === undefined
        ? { id, source: 'osv', says: 'unaffected', ...timeOf(modified) }
        : { id, source: 'osv', says: 'withdrawn', ...timeOf(withdrawn) },
    ];
  });
}

/** An imported advisory about the package with this id among its aliases. */
function namedBy(
  id: string,
  { about, find }: Pick<Advisories, 'about' | 'find'>,
  name: string,
  system: VersionKey['system'],
) {
  for (const one of about(system, name)) {
    const found = find(one.id);
    if (found?.aliases.includes(id) === true) return found;
  }
  return undefined;
}

/** Publishers that do not know a time state the year 1. */
function timeOf(time: string): { since?: string } {
  return defined({ since: Date.parse(time) > 0 ? time : undefined });
}
