import { type ExpandedPackage, isExcluded } from '../fleet/compact-lockfile.ts';
import type { Fleet } from '../fleet/fleet.ts';
import { identityOf } from '../fleet/identity.ts';
import type { TargetLockfile } from '../model/fleet/target-summary.ts';
import { resolutionOfRecord } from '../model/losses/statements.ts';
import type { Insights } from '../model/ports/insights.ts';
import type { Facts, Inspections, Known } from '../model/ports/shared-state.ts';
import type {
  Inventory,
  Resolution,
  ResolvedLockfile,
  ResolvedPackage,
  VersionRecordSummary,
} from '../model/scan/inventory.ts';
import type { Inspection } from '../model/signal/inspection.ts';
import { inSlices, mapInSlices } from '../model/yielding.ts';

/** Returns the inspections of the packages of an inventory, by purl. */
export async function inspectionsByPurl(
  { lockfiles }: Inventory,
  inspections: Pick<Inspections, 'read'>,
): Promise<ReadonlyMap<string, Inspection>> {
  const purls: string[] = [];
  const identities: string[] = [];
  for (const { packages } of lockfiles) {
    for await (const slice of inSlices(packages)) {
      for (const locked of slice) {
        const identity = identityOf(locked);
        if (isExcluded(locked)) continue;
        purls.push(locked.purl);
        identities.push(identity);
      }
    }
  }
  const byPurl = new Map<string, Inspection>();
  let at = 0;
  for (const inspection of await inspections.read(identities)) {
    const purl = purls[at++] as string;
    if (inspection !== undefined) byPurl.set(purl, inspection);
  }
  return byPurl;
}

/** A worker uses records in its memory for a minute; the clocks of workers differ by some seconds. */
const LAG_MS = 120_000;

/**
 * The inventory with facts that changed while or shortly before its packages were looked up. Without them, a scan that began
 * before a change and is judged after it would undo what the fleet refresh found.
 */
export async function withNewerFacts(
  inventory: Inventory,
  versions: Facts<VersionRecordSummary>,
): Promise<Inventory> {
  if (inventory.readAt === undefined) return inventory;
  const changed = await versions.changedSince(inventory.readAt - LAG_MS);
  if (changed.size === 0) return inventory;
  const lockfiles: ResolvedLockfile[] = [];
  for (const file of inventory.lockfiles) {
    const identities = await mapInSlices(file.packages, identityOf);
    const packages: ResolvedPackage[] = [];
    for await (const slice of inSlices(file.packages)) {
      for (const locked of slice) {
        const identity = identities[packages.length] as string;
        const known = isExcluded(locked) ? undefined : changed.get(identity);
        packages.push(
          known === undefined ? locked : { ...locked, resolution: resolutionOf(known, identity) },
        );
      }
    }
    lockfiles.push({ ...file, packages });
  }
  return { ...inventory, lockfiles };
}

/** A fact that changed to `missing` was a record before. */
function resolutionOf(known: Known<VersionRecordSummary>, key: string): Resolution {
  return 'record' in known
    ? resolutionOfRecord(known)
    : { outcome: 'missing', seenBefore: true, reason: `the index no longer has ${key}` };
}

/**
 * The lockfiles of a target as the fleet has them, with what is known of their packages now. A lockfile that the last scan could
 * not read is in it as it was read last, and counts as unread.
 */
export async function storedInventory(
  files: readonly TargetLockfile[],
  {
    fleet,
    insights,
  }: { readonly fleet: Pick<Fleet, 'inventory'>; readonly insights: Pick<Insights, 'resolve'> },
  signal: AbortSignal,
): Promise<Inventory> {
  const lockfiles: ResolvedLockfile[] = [];
  for (const { path, sha256 = '', inventory } of files) {
    if (inventory === undefined) continue;
    const { format, problems, packages } = await fleet.inventory(inventory);
    const resolved = await resolveStored(packages, insights, signal);
    lockfiles.push({ path, sha256, format, problems, packages: resolved });
  }
  return { lockfiles, unread: unreadOf(files) };
}

/** Stored packages with what the fleet knows of them. */
export async function resolveStored(
  packages: readonly ExpandedPackage[],
  insights: Pick<Insights, 'resolve'>,
  signal: AbortSignal,
): Promise<readonly ResolvedPackage[]> {
  const lookedUp = packages.flatMap(({ locked, excluded }) => (excluded === undefined ? locked : []));
  const { resolutions } = await insights.resolve(lookedUp, { signal, from: 'facts' });
  let next = 0;
  return await mapInSlices(packages, ({ locked, excluded }) => {
    const resolution: Resolution | undefined =
      excluded === undefined ? resolutions[next++] : { outcome: excluded[0], reason: excluded[1] };
    if (resolution === undefined) throw new RangeError(`no resolution for ${locked.purl}`);
    return { ...locked, resolution };
  });
}

/** The lockfiles that the last scan could not read. */
export function unreadOf(files: readonly TargetLockfile[]): Inventory['unread'] {
  return files.flatMap(({ path, unread: error }) => (error === undefined ? [] : [{ path, error }]));
}
