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
  /** Purls of the packages that targets hold that the caller may see. Absent: signs are not looked for. */
  readonly held?: Promise<ReadonlySet<string | undefined>>;
}

/** Signs of a compromise of packages. */
interface Inspected {
  readonly byPurl: ReadonlyMap<string, Inspection>;
  /** By purl, why they are not known. */
  readonly unknown: ReadonlyMap<string, string>;
}

const LIMIT_MS = 12_000;
/** The inspections of this process, by identity. */
const known = new WeakMap<PackageGate, LRUCache<string, Inspection>>();
const KEPT = { max: 5_000, ttl: 3_600_000 };

/**
 * The stored inspections of versions that targets hold, for who sees all of them. Versions without one are inspected now, as ones that a
 * target adds.
 */
export async function inspectionsFor(
  packages: readonly ResolvedPackage[],
  parts: InspectionParts,
): Promise<Inspected> {
  const { gate, seesAll } = parts;
  const held = await parts.held;
  const byPurl = new Map<string, Inspection>();
  const unknown = new Map<string, string>();
  if (held === undefined) return { byPurl, unknown };
  const put = (some: readonly ResolvedPackage[], found: readonly (Inspection | undefined)[]) => {
    for (const [index, inspection] of found.entries())
      if (inspection !== undefined) byPurl.set(some[index]?.purl ?? '', inspection);
  };
  const judged = packages.filter(
    ({ resolution: { record } }) => record !== undefined && record.advisoriesOnly === undefined,
  );
  const stored = judged.filter(({ purl }) => seesAll && held.has(purl));
  put(stored, await gate.inspections.read(stored.map(identityOf)));
  if (!gate.isInspecting) return { byPurl, unknown };
  // What targets held from the beginning was never inspected.
  const others = judged.filter(({ purl }) => !byPurl.has(purl));
  const kept = known.get(gate) ?? new LRUCache<string, Inspection>(KEPT);
  known.set(gate, kept);
  put(
    others,
    others.map((one) => kept.get(identityOf(one))),
  );
  const open = others.filter(({ purl }) => !byPurl.has(purl));
  for (const { purl } of open) unknown.set(purl, 'signs of a compromise: not inspected in time');
  put(open, await inspectNow(open, parts, (one, reason) => unknown.set(one.purl, reason)));
  for (const one of open) {
    const found = byPurl.get(one.purl);
    if (found !== undefined) unknown.delete(one.purl);
    if (found?.unknown.length === 0) kept.set(identityOf(one), found);
  }
  return { byPurl, unknown };
}

/** One for each package, in order; `undefined` for one that could not be inspected. */
async function inspectNow(
  chosen: readonly ResolvedPackage[],
  { gate, seesAll, signal, now }: InspectionParts,
  onFailure: (one: ResolvedPackage, reason: string) => void,
): Promise<readonly (Inspection | undefined)[]> {
  if (chosen.length === 0) return [];
  const inspections = { ...createMemoryInspections(), mode: 'before-judging' as const };
  const ports = {
    ...{ inspections, insights: gate.insights(seesAll) },
    policy: { policy: () => gate.policy, suppressions: async () => [] },
    fleet: { affectedTargets: async () => [] },
  };
  const packages = chosen.flatMap(({ resolution: { record } }) =>
    record === undefined ? [] : { ...record.versionKey, newDirect: true },
  );
  const requestedAt = new Date(now).toISOString();
  const attempt = { signal, lastAttempt: true, progress: () => {}, startedAt: now };
  const payload = { inspection: 'check', part: 0, requestedAt, packages, witnesses: [] };
  try {
    await within(inspect(payload, ports, attempt), LIMIT_MS);
  } catch (error) {
    signal.throwIfAborted();
    for (const one of chosen) onFailure(one, `signs of a compromise: ${messageOf(error)}`);
  }
  return await inspections.read(chosen.map(identityOf));
}
