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
  /** The facts that are not known. */
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
  const failed: Resolution = { outcome: 'failed', reason: `no answer within ${RESOLVE_MS / 1_000} s` };
  const asking = insights.resolve(packages, { signal });
  const [{ resolutions }, exploits, suppressions] = await Promise.all([
    within(asking, RESOLVE_MS, () => ({ resolutions: [] })),
    gate.exploits(),
    gate.suppressions(),
    parts.held,
  ]);
  const resolved = packages.map((one, index): ResolvedPackage => {
    return { ...one, resolution: resolutions[index] ?? failed };
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
    ...{ paths: [], previous: undefined, firstScan: 'all' as const, exploits },
  };
  const { findings, gaps, stillOpen } = await judgeInventory({
    ...{ ...judged, inventory, advisories, policy: gate.policy },
    graphs: { byKey: new Map(), gaps: [] },
    inspections: inspected.byPurl,
  });
  const rules = { routing: NO_ROUTING, policy: gate.policy, suppressions };
  const { verdict } = await compareScan({ ...judged, findings, gaps, stillOpen }, rules);
  const byPurl = Map.groupBy(verdict.findings, (finding) => finding.package.purl);
  return resolved.map((locked) => ({
    locked,
    findings: byPurl.get(locked.purl) ?? [],
    inspection: inspected.byPurl.get(locked.purl),
    unknown: [...unknownOf(locked, gaps, advisories), inspected.unknown.get(locked.purl) ?? []].flat(),
  }));
}

/** The facts that are not known of a package: the reason of its outcome, or gaps that concern it. */
function unknownOf(
  { purl, resolution: { outcome, reason, record } }: ResolvedPackage,
  gaps: readonly Gap[],
  { gaps: ofAdvisories }: ScanAdvisories,
): readonly string[] {
  const isKnown = (outcome === 'resolved' && reason === undefined) || outcome === 'missing';
  const missing = ofAdvisories.filter(({ subject }) => record?.advisoryIds.includes(subject));
  const own = gaps.filter(({ kind, subject }) => subject === purl && (kind === 'rule' || kind === 'signal'));
  return [...(isKnown ? [] : [reason ?? outcome]), ...[...missing, ...own].map((gap) => gap.reason)];
}
