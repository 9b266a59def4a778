import type { Inventory } from '../../model/scan/inventory.ts';
import { inSlices } from '../../model/yielding.ts';

/** Ids of all advisories that the version records of an inventory name, in order. */
export async function referredAdvisories({ lockfiles }: Inventory): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for (const { packages } of lockfiles) {
    for await (const slice of inSlices(packages)) {
      for (const { resolution } of slice) {
        const named = resolution.record?.advisoryIds;
        // Most packages have none, and each scan asks several times.
        if (named === undefined || named.length === 0) continue;
        for (const id of named) ids.add(id);
      }
    }
  }
  return ids;
}
