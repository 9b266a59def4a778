import type { Fleet } from '../fleet/fleet.ts';
import type { TargetLockfile } from '../model/fleet/target-lockfile.ts';
import type { Insights } from '../model/ports/insights.ts';
import type { Inventory, ResolvedLockfile } from '../model/scan/inventory.ts';
import type { Resolution } from '../model/scan/resolution.ts';
import { mapInSlices } from '../model/yielding.ts';

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
    const lookedUp = packages.flatMap(({ locked, excluded }) => (excluded === undefined ? locked : []));
    const { resolutions } = await insights.resolve(lookedUp, { signal, from: 'facts' });
    let next = 0;
    const resolved = await mapInSlices(packages, ({ locked, excluded }) => {
      const resolution: Resolution | undefined =
        excluded === undefined ? resolutions[next++] : { outcome: excluded[0], reason: excluded[1] };
      if (resolution === undefined) throw new RangeError(`no resolution for ${locked.purl}`);
      return { ...locked, resolution };
    });
    lockfiles.push({ path, sha256, format, problems, packages: resolved });
  }
  const unread = files.flatMap(({ path, unread: error }) => (error === undefined ? [] : [{ path, error }]));
  return { lockfiles, unread };
}
