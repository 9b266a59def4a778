import { type IdentifiedPackage, identityOf, packageOf } from '../../fleet/identity.ts';
import type { NameQuery } from '../../fleet/view/held-packages.ts';
import type { OperationContext } from '../context.ts';
import type { Principal } from '../principal.ts';
import { Refusal } from '../refusal.ts';
import { findSelected, type Holders } from './holders.ts';
import { compareVersions, packagesOf } from './places.ts';

/** How the targets that somebody may see use a package. */
export interface FleetUse {
  /** Numbers of targets by version. */
  readonly targets: ReadonlyMap<string, number>;
  /** When the fleet saw each version first, by version, RFC 3339; empty for who does not see all targets. */
  readonly firstSeen: ReadonlyMap<string, string>;
}

/** Returns the use of packages by one pass over the id lists of all lockfiles. */
export async function fleetUses<Name extends NameQuery>(
  context: OperationContext,
  { sees, seesAll }: Principal,
  names: readonly Name[],
): Promise<ReadonlyMap<Name, FleetUse>> {
  const named = new Map<string, Name[]>();
  const select: Parameters<typeof findSelected>[1] = async (held) => {
    const all = new Map<number, IdentifiedPackage>();
    for (const name of names) {
      for (const [identity, id] of await held.find(name)) {
        const known = named.get(identity) ?? [];
        if (!known.includes(name)) named.set(identity, [...known, name]);
        all.set(id, packageOf(identity));
      }
    }
    return all;
  };
  const uses = new Map(names.map((name) => [name, { targets: new Map(), firstSeen: new Map() }]));
  const found = await selected(context, select, sees);
  const useOf = (one: IdentifiedPackage) =>
    (named.get(identityOf(one)) ?? []).flatMap((name) => uses.get(name) ?? []);
  for (const holder of found.holders) {
    for (const one of packagesOf(holder)) {
      for (const { targets } of useOf(one)) targets.set(one.version, (targets.get(one.version) ?? 0) + 1);
    }
  }
  for (const { store, byId } of seesAll ? found.selections : []) {
    for (const [id, time] of await store.packageIds.givenAt([...byId.keys()])) {
      const one = byId.get(id) as IdentifiedPackage;
      const at = new Date(time).toISOString();
      for (const { firstSeen } of useOf(one)) {
        const before = firstSeen.get(one.version);
        if (before === undefined || at < before) firstSeen.set(one.version, at);
      }
    }
  }
  return uses;
}

/** Nothing where no target is stored yet. */
async function selected(
  context: OperationContext,
  select: Parameters<typeof findSelected>[1],
  sees: Principal['sees'],
): Promise<Pick<Holders, 'holders' | 'selections'>> {
  try {
    return await findSelected(context, select, ({ target }) => sees(target));
  } catch (error) {
    if (error instanceof Refusal && error.code === 'nothing-stored') return { holders: [], selections: [] };
    throw error;
  }
}

/** The version that most targets hold; of several the newest. */
export function mostUsed(
  ecosystem: string,
  { targets }: Pick<FleetUse, 'targets'>,
): { readonly version: string; readonly targets: number } | undefined {
  const [first] = [...targets].sort(
    ([left, count], [right, other]) => other - count || compareVersions(ecosystem, right, left),
  );
  return first && { version: first[0], targets: first[1] };
}
