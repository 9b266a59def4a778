import type { FixCandidate } from '../model/advice/fix.ts';
import { canonicalVersion } from '../model/lockfile/spelling.ts';
import type { VersionKey } from '../model/lockfile/version-key.ts';
import type { PublishedVersion } from '../model/ports/insights.ts';
import { schemeOf } from '../versions/scheme.ts';
import type { VersionScheme } from '../versions/version-scheme.ts';
import type { AdviceFacts } from './facts.ts';

/** Versions that are looked up at once. The nearest good one is usually among the first. */
const BATCH = 20;

/** The versions of a package that are later than the locked one. */
export interface Candidates {
  readonly scheme: VersionScheme;
  /** In the order of the ecosystem. No pre-releases, unless the locked version is one, and no deprecated ones. */
  readonly later: readonly PublishedVersion[];
  /** The first of the versions that is good; the versions before it are looked at, too. */
  firstGood(versions: readonly PublishedVersion[]): Promise<PublishedVersion | undefined>;
  /** Whether all versions are good. */
  allGood(versions: readonly string[]): Promise<boolean>;
  /** What was looked at so far, in order. */
  looked(): readonly FixCandidate[];
}

/**
 * The later versions of a package. `undefined` when the index has no list of its versions, or the locked version has no place
 * in their order.
 */
export async function openCandidates(facts: AdviceFacts, key: VersionKey): Promise<Candidates | undefined> {
  const scheme = schemeOf(key.system);
  const locked = canonicalVersion(key.version, key.name, key.system);
  const published = await facts.versions(key);
  if (published === undefined || !scheme.isValid(locked)) return undefined;
  const later = laterVersions(published, locked, scheme);
  const seen = new Map<string, FixCandidate>();
  const look = async (versions: readonly string[]): Promise<void> => {
    const open = versions.filter((version) => !seen.has(version));
    if (open.length === 0) return;
    const records = await facts.records(open.map((version) => ({ ...key, version })));
    for (const [index, version] of open.entries()) {
      const record = records[index];
      seen.set(version, { version, advisories: record?.advisoryIds.slice() ?? [], ...faultOf(record) });
    }
  };
  const isGood = (version: string): boolean => {
    const candidate = seen.get(version);
    return candidate?.advisories.length === 0 && candidate.reason === undefined;
  };
  return {
    scheme,
    later,
    async firstGood(versions) {
      for (let at = 0; at < versions.length; at += BATCH) {
        const batch = versions.slice(at, at + BATCH);
        await look(batch.map(({ version }) => version));
        const good = batch.find(({ version }) => isGood(version));
        if (good !== undefined) return good;
      }
      return undefined;
    },
    async allGood(versions) {
      await look(versions);
      return versions.every(isGood);
    },
    looked: () => [...seen.values()].sort((left, right) => scheme.compare(left.version, right.version)),
  };
}

function laterVersions(
  published: readonly PublishedVersion[],
  locked: string,
  scheme: VersionScheme,
): readonly PublishedVersion[] {
  const takesPrereleases = scheme.isPrerelease(locked);
  return published
    .filter(({ version, isDeprecated }) => {
      if (isDeprecated || !scheme.isValid(version) || scheme.compare(version, locked) <= 0) return false;
      return takesPrereleases || !scheme.isPrerelease(version);
    })
    .sort((left, right) => scheme.compare(left.version, right.version));
}

function faultOf(record: { readonly isDeprecated: boolean } | undefined): Pick<FixCandidate, 'reason'> {
  if (record === undefined) return { reason: 'the index has no record of it' };
  return record.isDeprecated ? { reason: 'it is deprecated' } : {};
}

/** Why there is no good version. `count`: the number of later ones. */
export function noneOf(count: number): string {
  if (count === 0) return 'there is no later version';
  return count === 1 ? 'the only later version is not good' : `none of the ${count} later versions is good`;
}
