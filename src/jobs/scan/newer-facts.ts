import { isExcluded } from '../../fleet/compact-lockfile.ts';
import { identitiesOf } from '../../fleet/identity.ts';
import { ADVISORY_STATEMENTS, doubtOf, resolutionOfRecord } from '../../model/losses/statements.ts';
import type { Known } from '../../model/ports/cache.ts';
import type { Advisory } from '../../model/scan/advisory.ts';
import type { Inventory, ResolvedLockfile, ResolvedPackage } from '../../model/scan/inventory.ts';
import type { Resolution, VersionRecordSummary } from '../../model/scan/resolution.ts';
import { inSlices } from '../../model/yielding.ts';
import type { FactsPort } from '../ports.ts';

/** A worker uses records in its memory for a minute; the clocks of workers differ by some seconds. */
const LAG_MS = 120_000;

/**
 * The inventory with facts that changed while or shortly before its packages were looked up. Without them, a scan that began
 * before a change and is judged after it would undo what the fleet refresh found.
 */
export async function withNewerFacts(inventory: Inventory, { versions }: FactsPort): Promise<Inventory> {
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

/** The advisories that the fleet knows, by id. They are at least as new as those in a cache. */
export async function knownAdvisories(
  named: ReadonlySet<string>,
  { advisories }: FactsPort,
): Promise<ReadonlyMap<string, Advisory>> {
  const ids = [...named];
  const known = await advisories.read(ids);
  return new Map(
    ids.flatMap((id, index) => {
      const one = known[index];
      return one !== undefined && 'record' in one ? [[id, withDoubt(one)] as const] : [];
    }),
  );
}

/** What is doubted of an advisory is one of its problems, which are gaps. */
function withDoubt(known: Extract<Known<Advisory>, { readonly record: unknown }>): Advisory {
  const { record } = known;
  const doubt = doubtOf(ADVISORY_STATEMENTS, known);
  return doubt === undefined ? record : { ...record, problems: [...(record.problems ?? []), doubt] };
}

/** A fact that changed to `missing` was a record before. */
function resolutionOf(known: Known<VersionRecordSummary>, key: string): Resolution {
  return 'record' in known
    ? resolutionOfRecord(known)
    : { outcome: 'missing', seenBefore: true, reason: `the index no longer has ${key}` };
}
