import type { ExploitData } from '../model/exploits/exploit-data.ts';
import type { LockedPackage } from '../model/lockfile/lockfile.ts';
import type { Target, TargetState } from '../model/scan/change.ts';
import type { Advisory, ResolvedPackage, VersionRecordSummary } from '../model/scan/inventory.ts';
import type { Policy } from '../model/scan/policy.ts';
import { RULES } from '../policy/catalog.ts';
import { licenses } from '../policy/rules/licenses.ts';
import { vulnerability } from '../policy/rules/vulnerability.ts';
import { type ComparedScan, type ComparisonRules, compareScan } from './compare.ts';
import { judgeInventory } from './judge.ts';

/** A package version that a lockfile held. Times are in seconds since 1970; `until` is infinite for one that is held now. */
export interface PastPackage {
  readonly path: string;
  readonly locked: LockedPackage;
  readonly from: number;
  readonly until: number;
  /** The facts that are known of it now; `undefined` when no source says anything. */
  readonly record: VersionRecordSummary | undefined;
  /** Its advisories, with the times since which they are known. */
  readonly advisories: readonly (readonly [at: number, id: string])[];
}

/** The packages that a target held since a time, with the facts that are known of them now. */
export interface PastTarget {
  readonly target: Target;
  readonly since: number;
  readonly packages: readonly PastPackage[];
  readonly advisories: ReadonlyMap<string, Advisory>;
  readonly exploits: ExploitData;
}

/** A judgement of the past. */
export interface ReplayedScan extends ComparedScan {
  /** Seconds since 1970. */
  readonly at: number;
}

/** Rules whose facts have a date, or never change. */
const REPLAYED: ReadonlySet<string> = new Set([vulnerability.name, licenses.name]);
const OTHERS_OFF = Object.fromEntries(
  RULES.flatMap(({ name }) => (REPLAYED.has(name) ? [] : [[name, { level: 'off' as const }]])),
);

/** The rules that would alert, and of whose facts in the past nothing is known. */
export function rulesNotReplayed(policy: Policy): readonly string[] {
  const alerts = ({ name, level }: (typeof RULES)[number]) =>
    [policy, ...policy.byLabel].some(({ rules }) => (rules[name]?.level ?? level) === 'alert');
  return RULES.filter((rule) => !REPLAYED.has(rule.name) && alerts(rule)).map(({ name }) => name);
}

/**
 * Judges a target by the functions of scans, at each time at which its findings could change: a scan that found other packages, an advisory
 * that appeared, an issue that was listed as exploited, a suppression that ended. What has no date before a time is not known at that time.
 */
export async function* replay(
  past: PastTarget,
  { policy: stated, ...others }: ComparisonRules,
  until: number,
): AsyncGenerator<ReplayedScan> {
  const byLabel = stated.byLabel.map((one) => ({ ...one, rules: { ...one.rules, ...OTHERS_OFF } }));
  const policy = { ...stated, rules: { ...stated.rules, ...OTHERS_OFF }, byLabel };
  const needsAll = [policy, ...byLabel].some((one) => one.licenses !== undefined);
  // Others have no findings.
  const packages = past.packages.filter(({ advisories }) => needsAll || advisories.length > 0);
  const scans = new Set([past.since, ...packages.flatMap((one) => [one.from, one.until])]);
  const ends = others.suppressions.flatMap(
    ({ expires = '' }) => Math.ceil(Date.parse(expires) / 1_000) || [],
  );
  const times = new Set([...scans, ...ends, ...packages.flatMap((one) => newsOf(one, past))]);
  let previous: TargetState | undefined;
  for (const at of [...times].sort((left, right) => left - right)) {
    if (at < past.since || at > until) continue;
    const held = packages.filter((one) => one.from <= at && at < one.until);
    const moment = { at, previous, isScan: scans.has(at) };
    const found = await judgeAt({ ...past, packages: held }, moment, { ...others, policy });
    previous = found.state ?? previous;
    yield { ...found, at };
  }
}

/** The times at which more became known of a package while it was held. */
function newsOf({ advisories, from, until }: PastPackage, past: PastTarget): readonly number[] {
  const names = advisories.flatMap(([, id]) => [id, ...(past.advisories.get(id)?.aliases ?? [])]);
  const listed = names.flatMap((name) => past.exploits.kev(name)?.added ?? []);
  const times = [...advisories.map(([at]) => at), ...listed.map((day) => Date.parse(day) / 1_000)];
  return times.filter((at) => at > from && at < until);
}

interface Moment {
  readonly at: number;
  readonly previous: TargetState | undefined;
  readonly isScan: boolean;
}

async function judgeAt(
  { target, packages, advisories, exploits }: PastTarget,
  { at, previous, isScan }: Moment,
  rules: ComparisonRules,
): Promise<ComparedScan> {
  const files = Map.groupBy(packages, ({ path }) => path);
  const lockfiles = Array.from(files, ([path, own]) => {
    return { path, sha256: '', format: 'ledger', problems: [], packages: own.map((one) => knownAt(one, at)) };
  });
  const judged = {
    ...{
      scan: `replay.${at}`,
      target,
      requestedAt: new Date(at * 1_000).toISOString(),
      judgedAt: at * 1_000,
    },
    ...{ previous, inventory: { lockfiles, unread: [] }, partial: !isScan, paths: [...files.keys()] },
  };
  const judgement = await judgeInventory({
    ...{ ...judged, policy: rules.policy, inspections: new Map(), graphs: { byKey: new Map(), gaps: [] } },
    advisories: { byId: advisories, gaps: [] },
  });
  const { kev } = exploits.heads;
  const known: ExploitData = {
    heads: kev === undefined ? {} : { kev },
    // Of probabilities only those of today are known.
    epss: () => undefined,
    kev(cve) {
      const entry = exploits.kev(cve);
      return entry !== undefined && Date.parse(entry.added) <= at * 1_000 ? entry : undefined;
    },
  };
  const { firstScan } = rules.routing;
  const refreshed = isScan ? {} : { refreshed: true };
  return await compareScan({ ...judged, ...judgement, ...refreshed, firstScan, exploits: known }, rules);
}

function knownAt({ locked, record, advisories }: PastPackage, at: number): ResolvedPackage {
  const advisoryIds = advisories.flatMap(([time, id]) => (time <= at ? id : []));
  const unknown = { outcome: 'failed' as const, reason: 'no source says anything about it' };
  const known = record && { outcome: 'resolved' as const, record: { ...record, advisoryIds } };
  return { ...locked, resolution: known ?? unknown };
}
