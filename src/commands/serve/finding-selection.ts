import { LRUCache } from 'lru-cache';
import { questionOf } from '../../server/api/page-token.ts';
import type { Principal } from '../../server/api/principal.ts';
import { COMPARE_FINDINGS, type FindingOrder } from '../../server/view/fleet-order.ts';
import type { FleetSnapshot } from '../../server/view/fleet-snapshot.ts';
import { changeList } from '../../server/view/sorted-list.ts';
import { HOLDER, type ViewedFinding, type ViewedTarget } from '../../server/view/viewed-target.ts';
import { fixableOf } from '../fleet/known-fixes.ts';
import { type FindingFilters, type FindingTests, testsOf } from './finding-tests.ts';
import { type ServeContext, snapshotOf } from './serve-context.ts';

/** Findings in remembered lists. */
const REMEMBERED = 500_000;
/** Remembered lists. */
const MAX_LISTS = 1_000;

/** How long it is remembered which findings of a list are fixable, in ms: workers find out about fixes meanwhile. */
const FIXABLE_MS = 10_000;

/** A list of findings of one version of the fleet. */
interface Selection {
  readonly version: number;
  readonly list: readonly ViewedFinding[];
}

/** Returns a function that selects findings from memory, whether or not they are fixable. The last lists are remembered, and follow what changes in the fleet. */
export function openFindingSelection(context: Pick<ServeContext, 'view'>) {
  const selections = new LRUCache<string, Selection>({
    max: MAX_LISTS,
    maxSize: REMEMBERED,
    sizeCalculation: ({ list }) => list.length + 1,
  });
  return async (
    filters: FindingFilters,
    order: FindingOrder,
    principal: Principal,
  ): Promise<readonly ViewedFinding[]> => {
    const fleet = snapshotOf(context);
    const question = questionOf(
      order,
      { ...filters, orderBy: undefined, fixable: undefined },
      principal.scope,
    );
    // `since` may be a duration: a remembered list is then of the same second.
    const time = filters.since === undefined ? '' : Math.floor(Date.now() / 1_000);
    const key = `${time} ${question}`;
    const tests = testsOf(filters, principal);
    const known = selections.get(key);
    const followed = known && (await follow(known, { fleet, order, tests }));
    const list = followed ?? select(fleet, order, tests);
    if (list !== known?.list || known.version !== fleet.version) {
      selections.set(key, { version: fleet.version, list });
    }
    return list;
  };
}

/** Returns a function that selects the findings of a list that a known upgrade clears. Callers with the same list share the answer. */
export function openFixableSelection({ fleet }: Pick<ServeContext, 'fleet'>) {
  const known = new WeakMap<
    readonly ViewedFinding[],
    { readonly readAt: number; readonly fixable: Promise<readonly ViewedFinding[]> }
  >();
  return async (list: readonly ViewedFinding[]): Promise<readonly ViewedFinding[]> => {
    const before = known.get(list);
    if (before !== undefined && performance.now() - before.readAt < FIXABLE_MS) return await before.fixable;
    const fixable = fixableOf(fleet, list);
    known.set(list, { readAt: performance.now(), fixable });
    fixable.catch(() => known.delete(list));
    return await fixable;
  };
}

/** The findings that fit. Targets are tested first, because there are fewer. */
function select({ targets, findingLists }: FleetSnapshot, order: FindingOrder, tests: FindingTests) {
  const list = findingLists[order];
  if (tests.holder.length === 0) return fitting(list, tests);
  const holders = new Set<ViewedTarget>();
  for (const target of targets.values()) if (holds(target, tests)) holders.add(target);
  return fitting(
    list.filter((one) => holders.has(one[HOLDER])),
    tests,
  );
}

function holds(target: ViewedTarget, { holder }: FindingTests): boolean {
  return holder.every((fits) => fits(target));
}

function fitting(list: readonly ViewedFinding[], { finding }: FindingTests): readonly ViewedFinding[] {
  return list.filter((one) => finding.every((fits) => fits(one)));
}

/** The list of an earlier version with all changes since then; `undefined` when they are not known any more. */
async function follow(
  { list, version }: Selection,
  { fleet, order, tests }: { fleet: FleetSnapshot; order: FindingOrder; tests: FindingTests },
): Promise<readonly ViewedFinding[] | undefined> {
  const since = fleet.changes.filter((change) => change.version > version);
  if (since.length !== fleet.version - version) return undefined;
  let followed = list;
  for (const { removed, added } of since) {
    const selected = (part: readonly ViewedFinding[]) =>
      fitting(part, tests).filter((one) => holds(one[HOLDER], tests));
    const change = { removed: selected(removed), added: selected(added) };
    if (change.removed.length + change.added.length > 0) {
      followed = await changeList(followed, change, COMPARE_FINDINGS[order]);
    }
  }
  return followed;
}
