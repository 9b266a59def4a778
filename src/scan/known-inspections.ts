import { isExcluded } from '../fleet/compact-lockfile.ts';
import { identitiesOf } from '../fleet/identity.ts';
import type { Inspections } from '../model/ports/inspections.ts';
import type { Inventory } from '../model/scan/inventory.ts';
import type { Inspection } from '../model/signal/inspection.ts';
import { inSlices } from '../model/yielding.ts';

/** What inspections say of the packages of an inventory, by purl. */
export async function inspectionsByPurl(
  { lockfiles }: Inventory,
  inspections: Pick<Inspections, 'read'>,
): Promise<ReadonlyMap<string, Inspection>> {
  const purls: string[] = [];
  const identities: string[] = [];
  for (const { packages } of lockfiles) {
    const own = await identitiesOf(packages);
    let index = 0;
    for await (const slice of inSlices(packages)) {
      for (const locked of slice) {
        const identity = own[index++] as string;
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
