import { isExcluded } from '../../fleet/compact-lockfile.ts';
import { identityOf } from '../../fleet/identity.ts';
import type { Inspections } from '../../model/ports/inspections.ts';
import type { Gap } from '../../model/scan/gap.ts';
import type { Inventory } from '../../model/scan/inventory.ts';
import type { Inspection } from '../../model/signal/inspection.ts';
import { inSlices } from '../../model/yielding.ts';

/** What inspections say of the packages of an inventory, by purl. */
export async function inspectionsByPurl(
  { lockfiles }: Inventory,
  inspections: Pick<Inspections, 'read'>,
): Promise<ReadonlyMap<string, Inspection>> {
  const identities = new Map<string, string>();
  for (const { packages } of lockfiles) {
    for await (const slice of inSlices(packages)) {
      for (const locked of slice) {
        if (!isExcluded(locked)) identities.set(locked.purl, identityOf(locked));
      }
    }
  }
  const found = await inspections.read([...identities.values()]);
  return new Map(
    [...identities.keys()].flatMap((purl, index) => {
      const inspection = found[index];
      return inspection === undefined ? [] : [[purl, inspection] as const];
    }),
  );
}

/** What inspections could not find out, and why. */
export function signalGaps(inspections: ReadonlyMap<string, Inspection>): readonly Gap[] {
  return [...inspections].flatMap(([subject, { unknown }]) =>
    unknown.map(({ fact, reason }): Gap => ({ kind: 'signal', subject, reason: `${fact}: ${reason}` })),
  );
}
