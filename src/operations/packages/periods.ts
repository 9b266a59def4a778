import type { Store } from '../../compose/store.ts';
import { createIdSet, heldIds } from '../../fleet/id-list.ts';
import { packageOf } from '../../fleet/identity.ts';
import type { HeldPeriod as Period } from '../../fleet/ledger/held-periods.ts';
import { heldPeriods, overlaps, wereGoneWithin } from '../../fleet/ledger/held-periods.ts';
import { headOf, NOT_KNOWN } from '../../fleet/ledger/ledger-entries.ts';
import { findRoots, UNKNOWN_ROOT } from '../../fleet/package-places.ts';
import type { HeldPeriod, LedgerPoint, WhereAnswer } from '../../model/api/lockhound-api.generated.ts';
import { defined } from '../../model/defined.ts';
import type { LedgerEntry } from '../../model/fleet/ledger.ts';
import { chunks, createYielder } from '../../model/yielding.ts';
import { compareText } from '../../policy/finding-order.ts';
import { reportTo } from '../../store/values/stored-values.ts';
import type { OperationContext } from '../context.ts';
import { findHolders, type Holder, type Holders, type HolderTest, holderOf } from './holders.ts';
import type { PackageQuery } from './query.ts';

/** A time in seconds since 1970. */
export interface AskedTime {
  readonly since: number;
  readonly until: number;
  /** In seconds: targets that got rid of the packages so fast are left out. */
  readonly unlessGoneWithin?: number;
}

export const EVER: AskedTime = { since: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY };

export interface PeriodsAnswer
  extends Pick<WhereAnswer, 'versions' | 'targets' | 'lockfiles' | 'fixedInTime' | 'notCompared'> {
  readonly periods: readonly HeldPeriod[];
  readonly notKnown: number;
}

/**
 * The periods in which targets held a package: by one pass over the heads of all ledgers, and by reading the ledgers of the targets that it
 * finds. `limit`: of lockfiles that are listed. Throws `Refusal` (`nothing-stored`, `query-invalid`).
 */
export async function findPeriods(
  context: OperationContext,
  query: PackageQuery,
  {
    fits,
    time,
    limit = Number.POSITIVE_INFINITY,
  }: { readonly fits: HolderTest; readonly time: AskedTime; readonly limit?: number | undefined },
): Promise<PeriodsAnswer> {
  const { versions, notCompared, ...current } = await findHolders(context, query, fits);
  const { holders, notKnown } = await holdersBefore(context, current, { fits, since: time.since });
  const { unread, ...read } = await readPeriods(context, holders, { time, limit });
  return { versions, ...read, notKnown: notKnown + unread, notCompared };
}

/**
 * The targets that hold or held one of the selected packages, by their id, and the number of those of which it is not known what they held
 * since a time.
 */
export async function holdersBefore(
  context: OperationContext,
  { holders, selections }: Pick<Holders, 'holders' | 'selections'>,
  { fits, since: asOf }: { readonly fits: HolderTest; readonly since: number },
): Promise<{ readonly holders: readonly Holder[]; readonly notKnown: number }> {
  const { targets } = await context.snapshot({});
  const asked = new Map([...targets.values()].filter(fits).map((one) => [one.target, one]));
  const candidates = new Map(holders.map((holder) => [holder.target, holder]));
  const known = new Set<string>();
  for (const selected of selections) {
    for await (const { target, since, isHolder } of passOverHeads(context.fleet, selected, asked)) {
      if (since !== NOT_KNOWN && (asOf === Number.NEGATIVE_INFINITY || since <= asOf)) known.add(target);
      if (!isHolder || candidates.has(target)) continue;
      const viewed = asked.get(target);
      if (viewed !== undefined) candidates.set(target, { ...holderOf(viewed), lockfiles: [], selected });
    }
  }
  const sorted = [...candidates.values()].sort((left, right) => compareText(left.target, right.target));
  return { holders: sorted, notKnown: asked.size - known.size };
}

/** The asked targets of a shard that have a ledger: since when, and whether they held one of the packages that they may not hold now. */
async function* passOverHeads(
  { onUnreadable }: OperationContext['fleet'],
  { store, byId }: Holder['selected'],
  asked: ReadonlyMap<string, unknown>,
) {
  const yieldIfDue = createYielder();
  for await (const { heads, wanted } of store.ledger.heads(byId.keys(), onUnreadable)) {
    for (const [target, { since, ids }] of heads) {
      if (asked.has(target)) yield { target, since, isHolder: heldIds(ids, wanted).length > 0 };
    }
    await yieldIfDue();
  }
}

/** Ledgers that are read at the same time. */
export const PART = 32;

/**
 * Reads the periods. When all times are asked for, each of the targets has a period, and only the ledgers of those that are listed are
 * read.
 */
async function readPeriods(
  context: OperationContext,
  holders: readonly Holder[],
  { time, limit }: { readonly time: AskedTime; readonly limit: number },
): Promise<Omit<PeriodsAnswer, 'versions' | 'notKnown' | 'notCompared'> & { readonly unread: number }> {
  const { since, until, unlessGoneWithin: within } = time;
  const isEver = since === EVER.since && until === EVER.until && within === undefined;
  const periods: HeldPeriod[] = [];
  let [targets, lockfiles, fixedInTime, unread] = [0, 0, 0, 0];
  for (const part of chunks(holders, PART)) {
    const isListed = lockfiles < limit;
    if (!isListed && isEver) {
      targets += part.length;
      continue;
    }
    const read = part.map(async (holder) => {
      const { held: all, isCut, shown } = await readLedger(context, holder, since);
      if (isCut) unread += 1;
      const asked = all.filter((one) => overlaps(one, since, until));
      const isFixed =
        within !== undefined && asked.length > 0 && wereGoneWithin(all, { since, until, within });
      return isFixed
        ? undefined
        : (await shown(asked)).toSorted((one, other) => compareText(one.lockfile, other.lockfile));
    });
    for (const own of await Promise.all(read)) {
      if (own === undefined) fixedInTime += 1;
      if (own === undefined) continue;
      const files = new Set(own.map(({ lockfile }) => lockfile)).size;
      if (files > 0 && lockfiles < limit) periods.push(...own);
      targets += Math.min(files, 1);
      lockfiles += files;
    }
  }
  return { targets, lockfiles, periods, unread, ...(within === undefined ? {} : { fixedInTime }) };
}

/**
 * The ledger of a target, the number of its parts that cannot be read, which are reported, and whether one of them is about the time since
 * `asOf`.
 */
export async function readEntries(
  { fleet }: Pick<OperationContext, 'fleet'>,
  { target }: Pick<Holder, 'target'>,
  asOf: number,
): Promise<{ readonly entries: readonly LedgerEntry[]; readonly unread: number; readonly isCut: boolean }> {
  let unread = 0;
  const entries = await fleet.of(target).ledger.read(target, (error) => {
    unread += 1;
    fleet.onUnreadable(error);
  });
  return { entries, unread, isCut: unread > 0 && !((headOf(entries)?.since ?? NOT_KNOWN) <= asOf) };
}

/** The ledger of a target as `readEntries` reads it, with the periods in which it held the selected packages, in the order in which they began. */
export async function readLedger(
  context: Pick<OperationContext, 'fleet'>,
  holder: Holder,
  asOf = EVER.since,
) {
  const { entries, ...read } = await readEntries(context, holder, asOf);
  const current = holder.lockfiles.map(
    ({ path, lookedUp, excluded }) => [path, [...lookedUp, ...excluded]] as const,
  );
  const held = heldPeriods(entries, new Map(current), holder.selected.byId);
  return { ...read, entries, held, shown: (some = held) => shownPeriods(context, holder, some) };
}

async function shownPeriods(
  { fleet }: Pick<OperationContext, 'fleet'>,
  { target, labels, requestedAt, lockfiles, selected: { store, byId } }: Holder,
  held: readonly Period[],
): Promise<readonly HeldPeriod[]> {
  const periods = await Promise.all(held.map((one) => withRoot(fleet, store, lockfiles, one)));
  const roots = [...new Set(periods.flatMap(({ root }) => root ?? []))];
  const identities = await store.packageIds.identities(roots);
  const names = new Map(roots.map((id, index) => [id, identities[index]]));
  return periods.map((period): HeldPeriod => {
    const { name, version, purl } = byId.get(period.id) ?? packageOf(':@');
    const through = period.root === undefined ? undefined : names.get(period.root);
    const { from, notKnownBefore, until: end, notKnownAfter, direct } = period;
    const before = notKnownBefore === undefined ? requestedAt : timeOf(notKnownBefore);
    return {
      target,
      labels,
      lockfile: period.path,
      ...{ name, version, purl },
      ...defined({ direct }),
      ...(through === undefined ? {} : { through: through.slice(through.indexOf(':') + 1) }),
      ...(from === undefined ? defined({ notKnownBefore: before }) : { from: pointOf(from) }),
      ...(end === undefined ? {} : { until: pointOf(end) }),
      ...(notKnownAfter === undefined ? {} : { notKnownAfter: timeOf(notKnownAfter) }),
    };
  });
}

export function pointOf({ at, scan, commit, committedAt, etag }: LedgerEntry): LedgerPoint {
  return { at: timeOf(at), scan, ...defined({ commit, committedAt, etag }) };
}

/** RFC 3339 of seconds since 1970. */
export function timeOf(seconds: number): string {
  return new Date(seconds * 1_000).toISOString();
}

/** The first time of which it is known that the package was held. */
export function startOf({ from, notKnownBefore = '' }: HeldPeriod): string {
  return from?.at ?? notKnownBefore;
}

/** A package that is held now, and that no entry brought: through which dependency it is held now. */
async function withRoot(
  { onUnreadable }: OperationContext['fleet'],
  { inventories }: Store,
  lockfiles: Holder['lockfiles'],
  period: Period,
): Promise<Period> {
  if (period.from !== undefined || period.until !== undefined) return period;
  const inventory = lockfiles.find(({ path }) => path === period.path)?.inventory;
  if (inventory === undefined) return period;
  const stored = await inventories.compact(inventory).catch(reportTo(onUnreadable));
  const root = stored && findRoots(stored.ids, stored.rest, createIdSet([period.id])).get(period.id);
  if (root === undefined || root === UNKNOWN_ROOT) return period;
  return root === period.id ? { ...period, direct: true } : { ...period, direct: false, root };
}
