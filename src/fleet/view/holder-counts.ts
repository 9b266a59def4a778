import { createYielder } from '../../model/yielding.ts';
import { partsOf } from '../compact-lockfile.ts';
import { visitIds } from '../id-list.ts';
import { LOCKFILES, type ViewedTarget } from './viewed-target.ts';

/** In how many targets each package version is, by its id. `isIncomplete`: the list of a lockfile cannot be read, so there may be more. */
export interface HolderCounts {
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
