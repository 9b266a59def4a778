import { LRUCache } from 'lru-cache';
import type { PackageGate } from '../../compose/package-gate.ts';
import { identityOf } from '../../fleet/identity.ts';
import { inspect } from '../../jobs/signals/inspect.ts';
import { createMemoryInspections } from '../../jobs/signals/inspect-now.ts';
import { messageOf } from '../../model/errors.ts';
import type { ResolvedPackage } from '../../model/scan/inventory.ts';
import type { Inspection } from '../../model/signal/inspection.ts';
import { within } from '../../model/time-limit.ts';

/** How signs of a compromise are found out. */
export interface InspectionParts {
  readonly gate: PackageGate;
  /** Whether the caller sees all targets. */
  readonly seesAll: boolean;
  readonly signal: AbortSignal;
  /** ms since 1970. */
  readonly now: number;
  /** Whether targets that the caller may see hold a version. Absent: signs are not looked for. */
  readonly isHeld?: (locked: ResolvedPackage) => boolean;
}

/** Signs of a compromise of packages. */
interface Inspected {
  readonly byPurl: ReadonlyMap<string, Inspection>;
  /** By purl, why they are not known. */
  readonly unknown: ReadonlyMap<string, readonly string[]>;
}

const LIMIT_MS = 12_000;
/** New versions that are inspected at once, the youngest first. */
const MAX_INSPECTED = 200;
/** What this process inspected, by identity. */
const known = new WeakMap<PackageGate, LRUCache<string, Inspection>>();
const KEPT = { max: 5_000, ttl: 3_600_000 };

/** The stored inspections of versions that visible targets hold; other versions are inspected now, as ones that a target adds. */
export async function inspectionsFor(
  packages: readonly ResolvedPackage[],
  parts: InspectionParts,
): Promise<Inspected> {
  const { gate, isHeld } = parts;
  if (isHeld === undefined) return { byPurl: new Map(), unknown: new Map() };
  const judged = packages.filter(
    ({ resolution: { record } }) => record?.advisoriesOnly === undefined && record,
  );
  const stored = await storedInspections(judged.filter(isHeld), parts);
  if (!gate.isInspecting) return { byPurl: stored, unknown: new Map() };
  const kept = known.get(gate) ?? new LRUCache<string, Inspection>(KEPT);
  known.set(gate, kept);
  const fresh = await inspectNew(
    judged.filter((one) => !isHeld(one)),
    kept,
    parts,
  );
  return { byPurl: new Map([...stored, ...fresh.byPurl]), unknown: fresh.unknown };
}

async function storedInspections(
  packages: readonly ResolvedPackage[],
  { gate, seesAll }: InspectionParts,
): Promise<ReadonlyMap<string, Inspection>> {
  const found = await gate.inspections.read(packages.map(identityOf));
  return new Map(
    packages.flatMap(({ purl }, index) => {
      const inspection = found[index];
      if (inspection === undefined) return [];
      // The number of targets that locked it is that of others, too.
      const { targets: _, ...own } = inspection;
      return [[purl, seesAll ? inspection : own] as const];
    }),
  );
}

async function inspectNew(
  packages: readonly ResolvedPackage[],
  kept: LRUCache<string, Inspection>,
  { gate, seesAll, signal, now }: InspectionParts,
): Promise<Inspected> {
  const byPurl = new Map<string, Inspection>();
  const unknown = new Map<string, readonly string[]>();
  const skip = (some: readonly ResolvedPackage[], reason: string) => {
    for (const { purl } of some) unknown.set(purl, [`signs of a compromise: ${reason}`]);
  };
  for (const one of packages) {
    const before = kept.get(identityOf(one));
    if (before !== undefined) byPurl.set(one.purl, before);
  }
  const open = packages
    .filter(({ purl }) => !byPurl.has(purl))
    .sort((left, right) => publishedAt(right) - publishedAt(left));
  const chosen = open.slice(0, MAX_INSPECTED);
  skip(open.slice(MAX_INSPECTED), `only the youngest ${MAX_INSPECTED} new versions are inspected at once`);
  if (chosen.length === 0) return { byPurl, unknown };
  const inspections = { ...createMemoryInspections(), mode: 'before-judging' as const };
  const ports = {
    ...{ inspections, insights: gate.insights(seesAll) },
    policy: { policy: () => gate.policy, suppressions: async () => [] },
    fleet: { affectedTargets: async () => [] },
  };
  const payload = {
    ...{ inspection: 'check', part: 0, requestedAt: new Date(now).toISOString(), witnesses: [] },
    packages: chosen.flatMap(({ resolution: { record } }) =>
      record === undefined ? [] : { ...record.versionKey, newDirect: true },
    ),
  };
  const attempt = { signal, lastAttempt: true, progress: () => {}, startedAt: now };
  try {
    await within(inspect(payload, ports, attempt), LIMIT_MS);
  } catch (error) {
    signal.throwIfAborted();
    skip(chosen, messageOf(error));
  }
  const found = await inspections.read(chosen.map(identityOf));
  for (const [index, one] of chosen.entries()) {
    const inspection = found[index];
    if (inspection === undefined) continue;
    byPurl.set(one.purl, inspection);
    if (inspection.unknown.length === 0) kept.set(identityOf(one), inspection);
  }
  return { byPurl, unknown };
}

/** ms since 1970; 0 when it is not known. */
function publishedAt({ resolution }: ResolvedPackage): number {
  return Date.parse(resolution.record?.publishedAt ?? '') || 0;
}
