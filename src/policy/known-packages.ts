import type { LockedPackage } from '../model/lockfile/lockfile.ts';
import type { KnownPackages } from '../model/scan/change.ts';
import type { Inventory, ResolvedPackage } from '../model/scan/inventory.ts';
import type { Resolution } from '../model/scan/resolution.ts';
import { createYielder, inSlices } from '../model/yielding.ts';

/** Enough to distinguish a half from a third. */
const SAMPLE = 512;
/** Packages between two checks of the time. */
const STRIDE = 250;
/** A single missing package does not show a loss of data. */
const MIN_LOST = 2;
/** An older sample does not show a sudden loss. */
const MAX_AGE_MS = 60 * 24 * 3_600_000;

/**
 * Compares the answers of the insights service with the packages that it knew at the last scan. When it does not know more
 * than half of them, it has lost data, and its missing packages prove nothing. Resolves to `undefined` when it has not.
 */
export async function detectDataLoss(
  known: KnownPackages | undefined,
  packages: readonly Pick<LockedPackage, 'purl'>[],
  resolutions: readonly Resolution[],
  requestedAt: string,
): Promise<Inventory['forgotten']> {
  if (known === undefined || Date.parse(requestedAt) - Date.parse(known.at) > MAX_AGE_MS) return undefined;
  const sample = new Set(known.hashes);
  const seen = { missing: new Set<number>(), resolved: new Set<number>() };
  const yieldIfDue = createYielder();
  for (const [index, { purl }] of packages.entries()) {
    if (index % STRIDE === 0) await yieldIfDue();
    const outcome = resolutions[index]?.outcome;
    if (outcome !== 'missing' && outcome !== 'resolved') continue;
    const hash = hashOf(purl);
    if (sample.has(hash)) seen[outcome].add(hash);
  }
  const lost = seen.missing.size;
  const compared = lost + seen.resolved.size;
  return lost >= MIN_LOST && 2 * lost > compared ? { lost, compared } : undefined;
}

/**
 * The sample of known packages to store. Packages that were not looked up stay in it, and so do those of other lockfiles where
 * `seesAll` is false.
 */
export async function knownAfter(
  before: KnownPackages | undefined,
  { lockfiles, forgotten: loss }: Inventory,
  { requestedAt, seesAll }: { readonly requestedAt: string; readonly seesAll: boolean },
): Promise<KnownPackages> {
  const stored = new Set(before?.hashes);
  const seen = { stored, known: new Set<number>(), unknown: new Set<number>() };
  for (const { packages } of lockfiles) {
    for await (const slice of inSlices(packages)) {
      for (const one of slice) note(one, seen);
    }
  }
  const { known, unknown } = seen;
  if (!seesAll) for (const hash of stored) if (!unknown.has(hash)) known.add(hash);
  const at = loss === undefined ? requestedAt : (before?.at ?? requestedAt);
  return { at, hashes: Array.from(Uint32Array.from(known).sort().subarray(0, SAMPLE)) };
}

function note(
  { purl, resolution: { outcome } }: ResolvedPackage,
  seen: {
    readonly stored: ReadonlySet<number>;
    readonly known: Set<number>;
    readonly unknown: Set<number>;
  },
): void {
  const hash = hashOf(purl);
  if (outcome === 'resolved') seen.known.add(hash);
  else if (outcome !== 'failed' && outcome !== 'uncovered') seen.unknown.add(hash);
  else if (seen.stored.has(hash)) seen.known.add(hash);
}

/** FNV-1a with a final mix, so that the smallest values are a uniform sample. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
