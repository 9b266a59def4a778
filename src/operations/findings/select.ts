import { LRUCache } from 'lru-cache';
import { COMPARE_FINDINGS, type FindingOrder, type FleetSnapshot } from '../../fleet/view/fleet-snapshot.ts';
import { changeList } from '../../fleet/view/sorted-list.ts';
import { HOLDER, type ViewedFinding, type ViewedTarget } from '../../fleet/view/viewed-target.ts';
import { firstShard, type OperationContext, perContext } from '../context.ts';
import { questionOf } from '../page-token.ts';
import type { Principal } from '../principal.ts';
import { type FindingFilter, type FindingFilters, findingFilter, issueIdOf } from './filter.ts';
import { fixableOf } from './shown.ts';

/** Findings in remembered lists. */
const REMEMBERED = 500_000;
const MAX_LISTS = 1_000;
/** How long it is remembered which findings of a list are fixable, in ms: workers find out about fixes meanwhile. */
const FIXABLE_MS = 10_000;

/** A list of findings of one version of the fleet. */
interface Selection {
  readonly version: number;
  readonly list: readonly ViewedFinding[];
}

const remembered = perContext(() => ({
  /** The last lists, which follow what changes in the fleet. */
  selections: new LRUCache<string, Selection>({
    max: MAX_LISTS,
    maxSize: REMEMBERED,
    sizeCalculation: ({ list }) => list.length + 1,
  }),
  /** The fixable ones of a list. Callers with the same list share the answer. */
  fixable: new WeakMap<
    readonly ViewedFinding[],
    { readonly readAt: number; readonly list: Promise<readonly ViewedFinding[]> }
  >(),
}));

/** How findings are listed. */
export interface ListOptions {
  /** Default: `severity`. */
  readonly order?: FindingOrder;
  /** Whether findings may lack their places and times, which `wholeFindings` adds. */
  readonly short?: boolean;
}

/** The findings that fit, in order. Throws `Refusal`. */
export async function selectFindings(
  context: OperationContext,
  filters: FindingFilters,
  principal: Principal,
  { order = 'severity', short = false }: ListOptions = {},
): Promise<readonly ViewedFinding[]> {
  const filter = findingFilter(filters, principal);
  const onlyAlerts = short && order === 'severity' && filter.need.onlyAlerts === true;
  const fleet = await context.snapshot({ ...filter.need, onlyAlerts, order });
  const key = `${onlyAlerts} ${keyOf(filters, order, principal)}`;
  const list = await listOf(context, fleet, { filter, order, key });
  const fixable = filters.fixable === true ? await keepFixable(context, list) : list;
  return await keepAssigned(context, fixable, filters);
}

/** The parameters that decide a list, except whether its findings are fixable, and who works on them. */
function keyOf(filters: FindingFilters, order: FindingOrder, { scope }: Principal): string {
  // `since` may be a duration: a remembered list is then of the same second.
  const time = filters.since === undefined ? '' : Math.floor(Date.now() / 1_000);
  const others = { orderBy: undefined, fixable: undefined, assignee: undefined, unassigned: undefined };
  return `${time} ${questionOf(order, { ...filters, ...others }, scope)}`;
}

async function listOf(
  context: OperationContext,
  fleet: FleetSnapshot,
  { key, ...wanted }: { readonly key: string; readonly filter: FindingFilter; readonly order: FindingOrder },
): Promise<readonly ViewedFinding[]> {
  const { selections } = remembered(context);
  const known = selections.get(key);
  const followed = known && (await follow(known, fleet, wanted));
  const list = followed ?? select(fleet, wanted.order, wanted.filter);
  if (list !== known?.list || known.version !== fleet.version) {
    selections.set(key, { version: fleet.version, list });
  }
  return list;
}

async function keepFixable(
  context: OperationContext,
  list: readonly ViewedFinding[],
): Promise<readonly ViewedFinding[]> {
  const { fixable } = remembered(context);
  const before = fixable.get(list);
  if (before !== undefined && performance.now() - before.readAt < FIXABLE_MS) return await before.list;
  const found = fixableOf(context.fleet, list);
  fixable.set(list, { readAt: performance.now(), list: found });
  found.catch(() => fixable.delete(list));
  return await found;
}

async function keepAssigned(
  { fleet }: OperationContext,
  list: readonly ViewedFinding[],
  { assignee, unassigned = false }: FindingFilters,
): Promise<readonly ViewedFinding[]> {
  if (assignee === undefined && !unassigned) return list;
  const assigned = await firstShard(fleet).assignments.all();
  return list.filter(({ finding }) => {
    const to = assigned.get(issueIdOf(finding))?.to;
    return (assignee === undefined || to === assignee) && (!unassigned || to === undefined);
  });
}

/** The findings that fit. Targets are tested first, because there are fewer. */
function select({ targets, findingLists }: FleetSnapshot, order: FindingOrder, filter: FindingFilter) {
  const list = findingLists[order];
  if (filter.holder.length === 0) return fitting(list, filter);
  const holders = new Set<ViewedTarget>();
  for (const target of targets.values()) if (holds(target, filter)) holders.add(target);
  return fitting(
    list.filter((one) => holders.has(one[HOLDER])),
    filter,
  );
}

function holds(target: ViewedTarget, { holder }: FindingFilter): boolean {
  return holder.every((fits) => fits(target));
}

function fitting(list: readonly ViewedFinding[], { finding }: FindingFilter): readonly ViewedFinding[] {
  return list.filter((one) => finding.every((fits) => fits(one)));
}

/** The list of an earlier version with all changes since then; `undefined` when they are not known any more. */
async function follow(
  { list, version }: Selection,
  fleet: FleetSnapshot,
  { filter, order }: { readonly filter: FindingFilter; readonly order: FindingOrder },
): Promise<readonly ViewedFinding[] | undefined> {
  const since = fleet.changes.filter((change) => change.version > version);
  if (since.length !== fleet.version - version) return undefined;
  let followed = list;
  for (const { removed, added } of since) {
    const selected = (part: readonly ViewedFinding[]) =>
      fitting(part, filter).filter((one) => holds(one[HOLDER], filter));
    const change = { removed: selected(removed), added: selected(added) };
    if (change.removed.length + change.added.length > 0) {
      followed = await changeList(followed, change, COMPARE_FINDINGS[order]);
    }
  }
  return followed;
}
