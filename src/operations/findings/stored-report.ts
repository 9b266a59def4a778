import type { FleetStore } from '../../compose/fleet-store.ts';
import { openInsights } from '../../compose/insights.ts';
import { offlineClient } from '../../compose/look-up-cache.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { closing } from '../../model/closing.ts';
import { contentUuid } from '../../model/content-uuid.ts';
import type { FleetFinding } from '../../model/fleet/fleet-finding.ts';
import { isSupported } from '../../model/fleet/release.ts';
import type { TargetState } from '../../model/scan/change.ts';
import type { Finding, Location } from '../../model/scan/finding.ts';
import type { Gap } from '../../model/scan/gap.ts';
import type { Inventory } from '../../model/scan/inventory.ts';
import type { ScanReport } from '../../model/scan/verdict.ts';
import { createYielder } from '../../model/yielding.ts';
import { countScan } from '../../scan/counts.ts';
import { inventoryGaps } from '../../scan/gaps.ts';
import { storedInventory } from '../../scan/known-facts.ts';
import { Refusal } from '../refusal.ts';

/** Packages of a report: some 500 MB of memory. */
const MAX_PACKAGES = 500_000;

/** The content of a report: targets, and their findings that it lists. */
export interface ReportedTargets {
  /** Name of the report: the id of its target, or that of a fleet. */
  readonly name: string;
  readonly targets: readonly string[];
  readonly findings: readonly FleetFinding[];
  readonly signal: AbortSignal;
}

interface StoredTarget {
  readonly target: string;
  readonly state: TargetState;
  readonly inventory: Inventory;
}

/**
 * Returns the stored state of targets in the form of a scan, so that every report of a scan can be made of it. Requests nothing. The paths of
 * several targets begin with the id of the target. Throws `Refusal` (`too-large`).
 */
export async function storedReport(
  loaded: LoadedConfig,
  fleet: FleetStore,
  { name, targets, findings, signal }: ReportedTargets,
): Promise<ScanReport> {
  const stored = await readTargets(loaded, fleet, targets, signal);
  const pathIn =
    targets.length === 1 ? (_: string, path: string) => path : (id: string, path: string) => `${id}/${path}`;
  const inventory: Inventory = {
    lockfiles: stored.flatMap(({ target, inventory: { lockfiles } }) =>
      lockfiles.map((file) => ({ ...file, path: pathIn(target, file.path) })),
    ),
    unread: stored.flatMap(({ target, inventory: { unread } }) =>
      unread.map((file) => ({ ...file, path: pathIn(target, file.path) })),
    ),
  };
  const listed = await oncePerIssue(withPlaces(findings, stored), pathIn);
  const counts = countScan(inventory, listed);
  const complete = stored.length === targets.length && stored.every(({ state }) => state.incomplete !== true);
  return {
    inventory,
    verdict: {
      scan: scanOf(stored),
      target: { id: name, labels: {} },
      requestedAt: latest(stored.map(({ state }) => state.requestedAt)),
      findings: listed,
      changes: [],
      gaps: [...(await inventoryGaps(inventory)), ...stored.flatMap(endedGap)],
      complete,
      partial: false,
      open: counts.severities,
      kept: 0,
      counts,
      superseded: false,
    },
  };
}

/** That a release is not judged any more. */
function endedGap({ target, state: { release } }: StoredTarget): readonly Gap[] {
  if (isSupported(release?.supportedUntil, Date.now())) return [];
  const reason = `it is not judged since its support ended on ${release?.supportedUntil}: later advisories are not known`;
  return [{ kind: 'source', subject: target, reason }];
}

async function readTargets(
  loaded: LoadedConfig,
  fleet: FleetStore,
  targets: readonly string[],
  signal: AbortSignal,
): Promise<readonly StoredTarget[]> {
  const stored: StoredTarget[] = [];
  let packages = 0;
  for (const [store, own] of Map.groupBy(targets, fleet.of)) {
    const known = { facts: store.facts, http: offlineClient() };
    await closing(openInsights(loaded, store.cache, known), async ({ insights }) => {
      for await (const [target, state] of store.targets.each(own, fleet.onUnreadable)) {
        signal.throwIfAborted();
        const inventory = await storedInventory(
          state.lockfiles ?? [],
          { fleet: store.fleet, insights },
          signal,
        );
        packages += inventory.lockfiles.reduce((sum, file) => sum + file.packages.length, 0);
        if (packages > MAX_PACKAGES) throw tooLarge(targets.length);
        stored.push({ target, state, inventory });
      }
    });
  }
  return stored;
}

function tooLarge(targets: number): Refusal {
  return new Refusal(
    413,
    'too-large',
    `the lockfiles of these ${targets} targets have more than ${MAX_PACKAGES} packages: choose fewer with --target or --label, or use --format json or ndjson`,
  );
}

/** The findings with all their locations: lists have the first ones. */
function withPlaces(
  findings: readonly FleetFinding[],
  stored: readonly StoredTarget[],
): readonly FleetFinding[] {
  const found = new Map<string, readonly Location[]>();
  for (const { target, state } of stored) {
    for (const { finding } of state.findings)
      found.set(JSON.stringify([target, finding.fingerprint]), finding.locations);
  }
  return findings.map((one) => {
    const locations = found.get(JSON.stringify([one.target, one.finding.fingerprint]));
    return locations === undefined ? one : { ...one, finding: { ...one.finding, locations: [...locations] } };
  });
}

/** Findings of one issue in several targets are one finding with all places. */
async function oncePerIssue(
  findings: readonly FleetFinding[],
  pathIn: (target: string, path: string) => string,
): Promise<Finding[]> {
  const yieldIfDue = createYielder();
  const byIssue = new Map<string, { finding: Finding; locations: Location[] }>();
  for (const { target, finding } of findings) {
    await yieldIfDue();
    const locations = finding.locations.map((one) => ({ ...one, path: pathIn(target, one.path) }));
    const { fingerprint, severity, level, suppressed } = finding;
    const key = JSON.stringify([fingerprint, severity, level, suppressed]);
    const known = byIssue.get(key);
    if (known === undefined) byIssue.set(key, { finding, locations });
    else known.locations.push(...locations);
  }
  return Array.from(byIssue.values(), ({ finding, locations }) => ({ ...finding, locations }));
}

/** The scan of the one target, or an id that depends on the scans of all. */
function scanOf(stored: readonly StoredTarget[]): string {
  const [first, ...others] = stored;
  if (first !== undefined && others.length === 0) return first.state.scan;
  return contentUuid(stored.map(({ target, state }) => [target, state.scan]));
}

function latest(times: readonly string[]): string {
  return times.reduce(
    (last, time) => (Date.parse(time) > Date.parse(last) ? time : last),
    new Date(0).toISOString(),
  );
}
