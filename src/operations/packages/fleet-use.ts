import { partsOf } from '../../fleet/compact-lockfile.ts';
import { visitIds } from '../../fleet/id-list.ts';
import { packageOf } from '../../fleet/identity.ts';
import type { FleetSnapshot } from '../../fleet/view/fleet-snapshot.ts';
import type { HeldPackages, NameQuery } from '../../fleet/view/held-packages.ts';
import { LOCKFILES, type ViewedTarget } from '../../fleet/view/viewed-target.ts';
import { createYielder } from '../../model/yielding.ts';
import type { OperationContext } from '../context.ts';
import type { Principal } from '../principal.ts';
import { compareVersions } from './places.ts';

/** How the targets that somebody may see use a package. */
export interface FleetUse {
  /** Numbers of targets by version. */
  readonly targets: Map<string, number>;
  /** Whether more targets may hold it: a stored lockfile cannot be read. */
  isIncomplete: boolean;
  /**
   * When the fleet saw the version first that is asked for, in ms since 1970; `unknown` where the time is lost. `undefined` or 0: it did
   * not, or before times were recorded, or the caller does not see all targets.
   */
  firstSeen: number | 'unknown' | undefined;
}

/** A package whose use is asked for, and the version of it. */
export type UsedPackage = NameQuery & { readonly version: string | undefined };

/** Returns the use of each package, in order. */
export async function fleetUses(
  context: OperationContext,
  principal: Principal,
  packages: readonly UsedPackage[],
): Promise<readonly FleetUse[]> {
  const uses = packages.map((): FleetUse => {
    return { targets: new Map(), isIncomplete: false, firstSeen: undefined };
  });
  for (const [shard, { packageIds }] of context.fleet.shards.entries()) {
    const { byId, isIncomplete } = await countsOf(context, principal, shard);
    const found = await (context.packages[shard] as HeldPackages).findEach(packages);
    const held = uses.flatMap((use, index) =>
      Array.from(found[index] ?? [], ([identity, id]) => {
        return { use, id, version: packageOf(identity).version, asked: packages[index]?.version };
      }),
    );
    const counted = held.filter(({ id }) => (byId[id] ?? 0) > 0);
    for (const { use } of held) use.isIncomplete ||= isIncomplete;
    for (const { use, id, version } of counted)
      use.targets.set(version, (use.targets.get(version) ?? 0) + (byId[id] ?? 0));
    const asked = counted.filter((one) => principal.seesAll && one.version === one.asked);
    const times = await packageIds.givenAt(asked.map(({ id }) => id));
    for (const { use, id } of asked) {
      const time = times.get(id);
      const { firstSeen = time } = use;
      const isLost = time === undefined || firstSeen === undefined || firstSeen === 'unknown';
      use.firstSeen = isLost ? 'unknown' : Math.min(time, firstSeen);
    }
  }
  return uses;
}

/** By shard and by the targets that a caller sees. */
const counted = new WeakMap<FleetSnapshot, Map<string, Promise<HolderCounts>>>();

/** Counts again only after the fleet changed: one pass over all lockfiles serves many questions. */
async function countsOf(
  context: OperationContext,
  { scope, sees }: Principal,
  shard: number,
): Promise<HolderCounts> {
  const snapshot = await context.snapshot({});
  const known = counted.get(snapshot) ?? new Map<string, Promise<HolderCounts>>();
  counted.set(snapshot, known);
  const key = `${shard} ${scope}`;
  const count = async (): Promise<HolderCounts> => {
    const { fleet, packages } = context;
    const store = fleet.shards[shard];
    const seen = [...snapshot.targets.values()].filter(
      ({ target }) => fleet.of(target) === store && sees(target),
    );
    const lists = await (packages[shard] as HeldPackages).idLists(snapshot);
    return await countHolders(seen, lists, (await store?.packageIds.last()) ?? 0);
  };
  const counts = known.get(key) ?? count();
  known.set(key, counts);
  counts.catch(() => known.delete(key));
  return await counts;
}

/** The version that most targets hold; of several the newest. */
export function mostUsed(ecosystem: string, { targets: all }: Pick<FleetUse, 'targets'>) {
  const [first] = Array.from(all, ([version, targets]) => ({ version, targets })).sort(
    (left, right) => right.targets - left.targets || compareVersions(ecosystem, right.version, left.version),
  );
  return first;
}

/** In how many targets each package version is, by its id. `isIncomplete`: the list of a lockfile cannot be read, so there may be more. */
interface HolderCounts {
  readonly byId: Uint32Array;
  readonly isIncomplete: boolean;
}

/** Counts the holders of all packages in one pass over the id lists of lockfiles, by the keys of their inventories, up to the id `last`. */
export async function countHolders(
  targets: Iterable<Pick<ViewedTarget, typeof LOCKFILES>>,
  parts: Iterable<ReadonlyMap<string, Buffer>>,
  last: number,
): Promise<HolderCounts> {
  const lists = new Map([...parts].flatMap((part) => [...part]));
  const byId = new Uint32Array(last + 1);
  // The target that was counted last, by id: several of its lockfiles may hold a package.
  const countedIn = new Uint32Array(last + 1);
  const yieldIfDue = createYielder();
  let [target, isIncomplete] = [0, false];
  const count = (id: number): void => {
    if (countedIn[id] !== target) byId[id] = (byId[id] ?? 0) + 1;
    countedIn[id] = target;
  };
  for (const { [LOCKFILES]: lockfiles = [] } of targets) {
    await yieldIfDue();
    target += 1;
    for (const list of lockfiles.flatMap(({ inventory = '' }) => lists.get(inventory) ?? [])) {
      try {
        for (const ids of Object.values(partsOf(list))) visitIds(ids, count);
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        isIncomplete = true;
      }
    }
  }
  return { byId, isIncomplete };
}
