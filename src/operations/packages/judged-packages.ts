import type { PackageGate } from '../../compose/package-gate.ts';
import { NO_ROUTING } from '../../compose/ports.ts';
import type { LockedPackage } from '../../model/lockfile/lockfile.ts';
import type { Target } from '../../model/scan/change.ts';
import type { Finding } from '../../model/scan/finding.ts';
import type { Gap } from '../../model/scan/gap.ts';
import type { Inventory, Resolution, ResolvedPackage } from '../../model/scan/inventory.ts';
import type { Inspection } from '../../model/signal/inspection.ts';
import { within } from '../../model/time-limit.ts';
import { advisoriesOf, type ScanAdvisories } from '../../scan/advisories.ts';
import { compareScan } from '../../scan/compare.ts';
import { judgeInventory } from '../../scan/judge.ts';
import { type InspectionParts, inspectionsFor } from './new-inspections.ts';

/** How packages are judged. */
export interface JudgingParts extends InspectionParts {
  /** The target that would get them. */
  readonly target: Target;
}

export interface JudgedPackage {
  readonly locked: ResolvedPackage;
  readonly findings: readonly Finding[];
  readonly inspection: Inspection | undefined;
  /** What could not be found out. */
  readonly unknown: readonly string[];
}

/** Time limit for what the service is asked, in ms. */
const RESOLVE_MS = 10_000;

/**
 * Judges packages, each once, as a lockfile that adds them, by the rules, policy and suppressions of scans; in order. What the service
 * does not answer is unknown of the packages that it concerns.
 */
export async function judgePackages(
  packages: readonly LockedPackage[],
  parts: JudgingParts,
): Promise<readonly JudgedPackage[]> {
  const { gate, target, seesAll, signal, now } = parts;
  const insights = gate.insights(seesAll);
  const resolutions = await resolve(packages, insights, signal);
  const resolved = packages.map((one, index): ResolvedPackage => {
    return { ...one, resolution: resolutions[index] as Resolution };
  });
  const file = { path: 'lockhound check', sha256: '', format: 'check', problems: [], packages: resolved };
  const inventory: Inventory = { lockfiles: [file], unread: [] };
  const attempt = { signal, lastAttempt: true, progress: () => {} };
  const [advisories, inspected] = await Promise.all([
    advisoriesOf(inventory, { known: new Map(), fetched: [], insights }, attempt),
    inspectionsFor(resolved, parts),
  ]);
  const judged = {
    ...{ scan: 'check', target, requestedAt: new Date(now).toISOString(), judgedAt: now, partial: true },
    ...{ paths: [], previous: undefined, firstScan: 'all' as const, exploits: await gate.exploits() },
  };
  const { findings, gaps, stillOpen } = await judgeInventory({
    ...{ ...judged, inventory, advisories, policy: gate.policy },
    graphs: { byKey: new Map(), gaps: [] },
    inspections: inspected.byPurl,
  });
  const rules = { routing: NO_ROUTING, policy: gate.policy, suppressions: await gate.suppressions() };
  const { verdict } = await compareScan({ ...judged, findings, gaps, stillOpen }, rules);
  const byPurl = Map.groupBy(verdict.findings, (finding) => finding.package.purl);
  return resolved.map((locked) => ({
    locked,
    findings: byPurl.get(locked.purl) ?? [],
    inspection: inspected.byPurl.get(locked.purl),
    unknown: [...unknownOf(locked, gaps, advisories), ...(inspected.unknown.get(locked.purl) ?? [])],
  }));
}

/** One system after the other fails alone. */
async function resolve(
  packages: readonly LockedPackage[],
  insights: ReturnType<PackageGate['insights']>,
  signal: AbortSignal,
): Promise<readonly Resolution[]> {
  const found = new Map<LockedPackage, Resolution>();
  const failed = (reason: string): Resolution => ({ outcome: 'failed', reason });
  const ask = async (own: readonly LockedPackage[]) => {
    const late = () => ({ resolutions: own.map(() => failed(`no answer within ${RESOLVE_MS / 1_000} s`)) });
    const { resolutions } = await within(insights.resolve(own, { signal }), RESOLVE_MS, late);
    for (const [index, one] of own.entries()) found.set(one, resolutions[index] as Resolution);
  };
  await Promise.all([...Map.groupBy(packages, ({ ecosystem }) => ecosystem).values()].map(ask));
  return packages.map((one) => found.get(one) ?? failed('its look-up was not answered'));
}

/** What is not known of a package: the reason of its outcome, or gaps that concern it. */
function unknownOf(
  { purl, resolution: { outcome, reason, record } }: ResolvedPackage,
  gaps: readonly Gap[],
  { gaps: ofAdvisories }: ScanAdvisories,
): readonly string[] {
  const isKnown = (outcome === 'resolved' && reason === undefined) || outcome === 'missing';
  const named = new Set(record?.advisoryIds);
  const missing = ofAdvisories.filter(({ subject }) => named.has(subject));
  const own = gaps.filter(({ kind, subject }) => subject === purl && (kind === 'rule' || kind === 'signal'));
  const texts = [...missing, ...own].map((gap) =>
    gap.kind === 'signal' ? gap.reason : `${gap.subject}: ${gap.reason}`,
  );
  return [...(isKnown ? [] : [reason ?? outcome]), ...texts];
}
