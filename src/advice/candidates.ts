import type { Fix, FixCandidate } from '../model/advice/fix.ts';
import type { StatedCooldown } from '../model/advice/project-statement.ts';
import { canonicalVersion, type VersionKey } from '../model/lockfile/ecosystem.ts';
import type { PublishedVersion } from '../model/ports/insights.ts';
import type { PublishedVersions } from '../model/scan/inventory.ts';
import { matchesWildcard } from '../model/wildcard.ts';
import { npm, schemeOf } from '../versions/scheme.ts';
import type { VersionScheme } from '../versions/version-scheme.ts';
import type { AdviceFacts, AdvisedRecord } from './facts.ts';
import { allOf, bad, GOOD, type Proof, type Refuted, type Search, unknown } from './proof.ts';

/** Versions that are looked up at once. The nearest good one is usually among the first. */
const BATCH = 20;

/** The versions of a package that are later than the locked one. */
export interface Candidates {
  readonly scheme: VersionScheme;
  /** The later versions, in the order of the ecosystem: no pre-releases, unless the locked version is one, and no deprecated ones. */
  readonly later: readonly PublishedVersion[];
  /** Set when the list of the versions is partial: why nothing is known of all versions. One that is not listed may be good. */
  readonly unlisted: Refuted | undefined;
  /** `osv` when imported advisories name the good version, or all versions, as fixed. */
  readonly from: PublishedVersions['from'];
  /**
   * The first of the versions that is good. Where none is, versions about which the index has nothing leave that unknown, and so does a
   * partial list.
   */
  firstGood(versions: readonly PublishedVersion[]): Promise<Search<PublishedVersion>>;
  /** Whether all versions are good. */
  allGood(versions: readonly string[]): Promise<Proof>;
  /** The first version with which nothing is wrong but that the index advises to wait with it, as a fix. */
  waiting(): Pick<Fix, 'kind' | 'version' | 'until' | 'reason'> | undefined;
  /** The candidates that were looked at so far, in order. */
  looked(): readonly FixCandidate[];
}

/**
 * The later versions of a package. Unknown when the index has no list of its versions, or the locked version has no place in
 * their order.
 */
export async function openCandidates(facts: AdviceFacts, key: VersionKey): Promise<Search<Candidates>> {
  const scheme = schemeOf(key.system);
  const locked = canonicalVersion(key.version, key.name, key.system);
  const published = await facts.versions(key);
  if (published === undefined) return unknown(`the index has no list of the versions of ${key.name}`);
  if (!scheme.isValid(locked)) return unknown(`the order of ${key.name} ${key.version} is not known`);
  const later = laterVersions(published.versions, locked, scheme);
  const unlisted =
    published.isPartial === true ? unknown(`the list of the versions of ${key.name} is partial`) : undefined;
  const seen = new Map<string, Looked>();
  const look = async (versions: readonly string[]): Promise<void> => {
    const open = versions.filter((version) => !seen.has(version));
    if (open.length === 0) return;
    const records = await facts.records(open.map((version) => ({ ...key, version })));
    for (const [index, version] of open.entries()) {
      const record = records[index];
      seen.set(version, {
        version,
        advisories: record?.advisoryIds.slice() ?? [],
        proof: proofOf(key.name, version, record),
        until: record?.isDeprecated === false && record.advisoryIds.length === 0 ? waitOf(record) : undefined,
      });
    }
  };
  let isStated = false;
  /** Returns the version that OSV names as fixed. It is the first good one, because OSV lists the lower ones: no other one is looked up. */
  const statedAmong = async (
    versions: readonly PublishedVersion[],
  ): Promise<PublishedVersion | undefined> => {
    const fixed = await facts.fixedIn(key);
    const stated = versions.find(({ version }) => version === fixed);
    if (stated === undefined) return undefined;
    await look([stated.version]);
    if (seen.get(stated.version)?.proof.state !== 'good') return undefined;
    isStated = true;
    return stated;
  };
  const inOrder = () => [...seen.values()].sort((left, right) => scheme.compare(left.version, right.version));
  const proofsOf = (versions: readonly string[]) => versions.flatMap((one) => seen.get(one)?.proof ?? []);
  const found = {
    scheme,
    later,
    unlisted,
    get from() {
      return isStated ? 'osv' : published.from;
    },
    async firstGood(versions: readonly PublishedVersion[]): Promise<Search<PublishedVersion>> {
      const stated = await statedAmong(versions);
      if (stated !== undefined) return { state: 'good', found: stated };
      for (let at = 0; at < versions.length; at += BATCH) {
        const batch = versions.slice(at, at + BATCH);
        await look(batch.map(({ version }) => version));
        const good = batch.find(({ version }) => seen.get(version)?.proof.state === 'good');
        if (good !== undefined) return { state: 'good', found: good };
      }
      const proofs = proofsOf(versions.map(({ version }) => version));
      const proof = allOf(proofs.filter(({ state }) => state === 'unknown'));
      return proof.state === 'good' ? (unlisted ?? bad(noGoodOf(versions.length))) : proof;
    },
    async allGood(versions: readonly string[]) {
      await look(versions);
      return allOf(proofsOf(versions));
    },
    waiting() {
      const held = inOrder().find(({ until }) => until !== undefined);
      const { version = '', until = '', proof } = held ?? {};
      return proof?.state === 'bad'
        ? { kind: 'held-by-cooldown' as const, version, until, reason: proof.reason }
        : undefined;
    },
    looked: () =>
      inOrder().map(({ proof, until: _until, ...candidate }) => ({
        ...candidate,
        ...faultOf(candidate, proof),
      })),
  };
  return { state: 'good', found };
}

interface Looked extends Pick<FixCandidate, 'version' | 'advisories'> {
  readonly proof: Proof;
  /** Until when the index advises to wait, where nothing else is wrong. */
  readonly until: string | undefined;
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

/** Whether no advisory affects a version, it is not deprecated, and the index does not advise to wait. `record`: `undefined` when the index does not have it. */
export function proofOf(name: string, version: string, record: AdvisedRecord | undefined): Proof {
  if (record === undefined) return unknown(`the index has no record of ${name} ${version}`);
  if (record.advisoryIds.length > 0)
    return bad(`${record.advisoryIds.join(', ')} affects ${name} ${version}`);
  if (record.isDeprecated) return bad(`${name} ${version} is deprecated`);
  if (record.undecided !== undefined)
    return unknown(`it is not known whether ${record.undecided.join(', ')} affects ${name} ${version}`);
  const { waitUntil } = record;
  if (typeof waitUntil === 'object')
    return unknown(`it is not known whether to wait with ${name} ${version} (${waitUntil.unknown})`);
  return waitUntil === undefined ? GOOD : bad(`the index does not advise ${name} ${version} yet`);
}

/** Until when the index advises to wait, where that is known. */
export function waitOf(record: AdvisedRecord | undefined): string | undefined {
  return typeof record?.waitUntil === 'string' ? record.waitUntil : undefined;
}

/** The reason that no advisory is; those are stated themselves. */
function faultOf(
  { advisories }: Pick<FixCandidate, 'advisories'>,
  proof: Proof,
): Pick<FixCandidate, 'reason'> {
  return proof.state === 'good' || advisories.length > 0 ? {} : { reason: proof.reason };
}

/** Why there is no good version. `count`: the number of later ones. */
function noGoodOf(count: number): string {
  if (count === 0) return 'there is no later version';
  return count === 1 ? 'the only later version is not good' : `none of the ${count} later versions is good`;
}

const MINUTE = 60_000;

/**
 * When the project's package manager may select a version, in ms since 1970; `undefined` when it may already, and infinite when it never does. A
 * version without a date may be selected: only the registry knows it.
 */
export function waitsUntil(
  name: string,
  { version, publishedAt }: Pick<PublishedVersion, 'version' | 'publishedAt'>,
  cooldown: StatedCooldown | undefined,
  now: number,
): number | undefined {
  if (cooldown === undefined || publishedAt === undefined) return undefined;
  if (cooldown.except.some((pattern) => isExcepted(pattern, name, version))) return undefined;
  const published = Date.parse(publishedAt);
  if (published > (cooldown.before ?? published)) return Number.POSITIVE_INFINITY;
  const until = published + cooldown.minutes * MINUTE;
  return until > now ? until : undefined;
}

function isExcepted(pattern: string, name: string, version: string): boolean {
  const at = pattern.indexOf('@', 1);
  if (at < 0) return matchesWildcard(pattern, name);
  const range = pattern.slice(at + 1).replace(/^npm:/, '');
  return matchesWildcard(pattern.slice(0, at), name) && npm.satisfies(version, range) === true;
}
