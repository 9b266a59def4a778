import { type IdentifiedPackage, identityOf, packageOf } from '../../fleet/identity.ts';
import type { NameQuery } from '../../fleet/view/held-packages.ts';
import type { OperationContext } from '../context.ts';
import type { Principal } from '../principal.ts';
import { findSelected } from './holders.ts';
import { compareVersions, packagesOf } from './places.ts';

/** How the targets that somebody may see use a package. */
export interface FleetUse {
  /** Numbers of targets by version. */
  readonly targets: ReadonlyMap<string, number>;
  /** When the fleet saw each version first, by version, ms since 1970; empty for who does not see all targets. */
  readonly firstSeen: ReadonlyMap<string, number>;
}

/** Returns the use of packages by one pass over the id lists of all lockfiles. */
export async function fleetUses<Name extends NameQuery>(
  context: OperationContext,
  { sees, seesAll }: Principal,
  names: readonly Name[],
): Promise<ReadonlyMap<Name, FleetUse>> {
  const newUse = () => ({ targets: new Map<string, number>(), firstSeen: new Map<string, number>() });
  const uses = new Map(names.map((name) => [name, newUse()]));
  // Nothing is stored yet.
  if ((await context.snapshot({})).targets.size === 0) return uses;
  const byIdentity = new Map<string, Set<ReturnType<typeof newUse>>>();
  const usesOf = (one: IdentifiedPackage) => byIdentity.get(identityOf(one)) ?? [];
  const { holders, selections } = await findSelected(
    context,
    async (held) => {
      const all = new Map<number, IdentifiedPackage>();
      const found = await held.findEach(names);
      for (const [index, use] of [...uses.values()].entries()) {
        for (const [identity, id] of found[index] ?? []) {
          byIdentity.set(identity, (byIdentity.get(identity) ?? new Set()).add(use));
          all.set(id, packageOf(identity));
        }
      }
      return all;
    },
    ({ target }) => sees(target),
  );
  for (const one of holders.flatMap(packagesOf))
    for (const { targets } of usesOf(one)) targets.set(one.version, (targets.get(one.version) ?? 0) + 1);
  for (const { store, byId } of seesAll ? selections : []) {
    for (const [id, time] of await store.packageIds.givenAt([...byId.keys()])) {
      const one = byId.get(id) as IdentifiedPackage;
      for (const { firstSeen } of usesOf(one))
        firstSeen.set(one.version, Math.min(time, firstSeen.get(one.version) ?? time));
    }
  }
  return uses;
}

/** The version that most targets hold; of several the newest. */
export function mostUsed(ecosystem: string, { targets: all }: Pick<FleetUse, 'targets'>) {
  const [first] = Array.from(all, ([version, targets]) => ({ version, targets })).sort(
    (left, right) => right.targets - left.targets || compareVersions(ecosystem, right.version, left.version),
  );
  return first;
}
