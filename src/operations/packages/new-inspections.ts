import { LRUCache } from 'lru-cache';
import type { PackageGate } from '../../compose/package-gate.ts';
import { identityOf } from '../../fleet/identity.ts';
import { inspect } from '../../jobs/signals/inspect.ts';
import { createMemoryInspections } from '../../jobs/signals/inspect-now.ts';
import { defined } from '../../model/defined.ts';
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
  const { found, failure = 'not inspected in time' } = await inspectNow(open, parts);
  put(open, found);
  for (const one of open) {
    const inspection = byPurl.get(one.purl);
    if (inspection === undefined) unknown.set(one.purl, `signs of a compromise: ${failure}`);
    else if (inspection.unknown.length === 0) kept.set(identityOf(one), inspection);
  }
  return { byPurl, unknown };
}

/** `found`: one for each package, in order; `undefined` for one that could not be inspected. `failure`: why that is so. */
async function inspectNow(
  chosen: readonly ResolvedPackage[],
  { gate, seesAll, signal, now }: InspectionParts,
): Promise<{ readonly found: readonly (Inspection | undefined)[]; readonly failure?: string }> {
  if (chosen.length === 0) return { found: [] };
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
  const payload = { inspection: 'check', requestedAt, packages, witnesses: [] };
  const failure = await within(inspect(payload, ports, attempt), LIMIT_MS).then(
    () => undefined,
    (error: unknown) => {
      signal.throwIfAborted();
      return messageOf(error);
    },
  );
  return { found: await inspections.read(chosen.map(identityOf)), ...defined({ failure }) };
}
