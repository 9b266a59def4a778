import type { Inventory } from '../../model/scan/inventory.ts';
import { inSlices } from '../../model/yielding.ts';

/** Ids of all advisories that the version records of an inventory name, in order. */
export async function referredAdvisories({ lockfiles }: Inventory): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for (const { packages } of lockfiles) {
    for await (const slice of inSlices(packages)) {
      for (const { resolution } of slice) {
        for (const id of resolution.record?.advisoryIds ?? []) ids.add(id);
      }
    }
  }
  return ids;
}
