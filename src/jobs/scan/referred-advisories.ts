import type { Inventory } from '../../model/scan/inventory.ts';
import { inSlices } from '../../model/yielding.ts';

/** The key is the list of lockfiles of an inventory, which is never changed. */
const REFERRED = new WeakMap<Inventory['lockfiles'], ReadonlySet<string>>();

/** Ids of all advisories that the version records of an inventory name, in order. */
export async function referredAdvisories({ lockfiles }: Inventory): Promise<ReadonlySet<string>> {
  const found = REFERRED.get(lockfiles);
  // Each scan asks several times.
  if (found !== undefined) return found;
  const ids = new Set<string>();
  for (const { packages } of lockfiles) {
    for await (const slice of inSlices(packages)) {
      for (const { resolution } of slice) {
        const named = resolution.record?.advisoryIds;
        // Most packages have none.
        if (named === undefined || named.length === 0) continue;
        for (const id of named) ids.add(id);
      }
    }
  }
  REFERRED.set(lockfiles, ids);
  return ids;
}
