import type { Inventory } from '../model/inventory.ts';

/** Ids of all advisories that the inventory's version records name, sorted. */
export function referredAdvisories(inventory: Inventory): readonly string[] {
  const ids = new Set<string>();
  for (const file of inventory.lockfiles) {
    for (const { resolution } of file.packages) {
      for (const id of resolution.record?.advisoryIds ?? []) ids.add(id);
    }
  }
  return [...ids].sort();
}
