import { isExcluded } from '../fleet/compact-lockfile.ts';
import { identitiesOf } from '../fleet/identity.ts';
import { resolutionOfRecord } from '../model/losses/statements.ts';
import type { Known } from '../model/ports/cache.ts';
import type { Facts } from '../model/ports/facts.ts';
import type { Inventory, ResolvedLockfile, ResolvedPackage } from '../model/scan/inventory.ts';
import type { Resolution, VersionRecordSummary } from '../model/scan/resolution.ts';
import { inSlices } from '../model/yielding.ts';

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
    const identities = await identitiesOf(file.packages);
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
