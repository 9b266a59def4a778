import type { LedgerEntry, LockfileDelta } from '../../model/fleet/ledger.ts';
import { idsOf } from './lockfile-deltas.ts';

/** A time in which a lockfile held a package version. Without `until` and `notKnownAfter` it holds it now. */
export interface HeldPeriod {
  readonly path: string;
  readonly id: number;
  /** Position of the entry with which it begins, or since which it is known. */
  readonly begin: number;
  /** Whether it was a direct dependency when it came; absent when that is not known. */
  readonly direct?: boolean;
  /** Id of the direct dependency that brought it. */
  readonly root?: number;
  /** The scan that brought it; absent when it was there at the first scan of what is known. */
  readonly from?: LedgerEntry;
  /** The time of that first scan, in seconds since 1970; absent for a target without a ledger. */
  readonly notKnownBefore?: number;
  /** The scan that removed it. */
  readonly until?: LedgerEntry;
  /** The last scan before a part of the ledger that is lost, in seconds since 1970. */
  readonly notKnownAfter?: number;
}

/**
 * The periods in which a target held some packages. Its ledger says what changed since its first entry, and its inventory what it holds
 * now: a package without a change was there all the time. They are in the order in which their begins were recorded.
 *
 * `current`: those of the wanted ids that each lockfile holds now, by its path.
 */
export function heldPeriods(
  entries: readonly LedgerEntry[],
  current: ReadonlyMap<string, Iterable<number>>,
  wanted: Wanted,
): readonly HeldPeriod[] {
  const periods: HeldPeriod[] = [];
  let segment = newSegment(undefined);
  for (const [begin, entry] of entries.entries()) {
    if (entry.delivered !== undefined) continue;
    if (entry.start === true || segment.last === undefined) {
      const kept = new Set(entry.unchanged);
      periods.push(...lostIn(segment).filter(({ path }) => !kept.has(path)));
      segment = newSegment(
        entry,
        begin,
        [...segment.open].filter(([, { path }]) => kept.has(path)),
      );
    }
    for (const file of entry.files ?? []) {
      for (const id of idsOf(file.went).filter((one) => wanted.has(one)))
        periods.push({ ...takePeriod(segment, file.path, id), until: entry });
      for (const period of cameIn(file, { entry, begin }, wanted))
        segment.open.set(keyOf(file.path, period.id), period);
    }
    segment.last = entry;
  }
  const now = [...current].flatMap(([path, ids]) => Array.from(ids, (id) => takePeriod(segment, path, id)));
  return [...periods, ...now, ...lostIn(segment)].sort((one, other) => one.begin - other.begin);
}

interface Wanted {
  has(id: number): boolean;
}

/** A part of a ledger without a gap. `open`: the periods that have not ended. */
type Segment = ReturnType<typeof newSegment>;

function newSegment(
  start: LedgerEntry | undefined,
  begin = 0,
  open: Iterable<readonly [string, HeldPeriod]> = [],
) {
  return { start, begin, last: start, open: new Map(open) };
}

/** The period of a package that a lockfile holds: without a scan that brought it, it was there from the start. */
function takePeriod({ open, start, begin }: Segment, path: string, id: number): HeldPeriod {
  const key = keyOf(path, id);
  const period = open.get(key) ?? {
    path,
    id,
    begin,
    ...(start === undefined ? {} : { notKnownBefore: start.at }),
  };
  open.delete(key);
  return period;
}

/** The periods whose end is lost. */
function lostIn({ open, last }: Segment): readonly HeldPeriod[] {
  return [...open.values()].map((period) => ({
    ...period,
    ...(last === undefined ? {} : { notKnownAfter: last.at }),
  }));
}

/** Whether a period has a part in a time, in seconds since 1970. What is not known is no part. */
export function overlaps(period: HeldPeriod, since: number, until: number): boolean {
  const from = period.from?.at ?? period.notKnownBefore ?? Number.NEGATIVE_INFINITY;
  const to = period.until?.at ?? period.notKnownAfter ?? Number.POSITIVE_INFINITY;
  // The scan that removed it saw that it is gone; the last one that is known saw it.
  return from <= until && (period.until === undefined ? to >= since : to > since);
}

/**
 * Whether a target got rid of all packages within `within` seconds, each time that it held one of them between `since` and `until`. A package that
 * follows another one of them, in whichever lockfile, belongs to the same time. One whose begin or end is not known is not known to be
 * short.
 */
export function wereGoneWithin(
  periods: readonly HeldPeriod[],
  { since, until, within }: { readonly since: number; readonly until: number; readonly within: number },
): boolean {
  const times: { readonly from: number; to: number; isKnown: boolean }[] = [];
  const all = periods.map((period) => ({
    from: period.from?.at ?? period.notKnownBefore ?? Number.NEGATIVE_INFINITY,
    to: period.until?.at ?? period.notKnownAfter ?? Number.POSITIVE_INFINITY,
    isKnown: period.from !== undefined && period.until !== undefined,
  }));
  for (const one of all.sort((left, right) =>
    left.from < right.from ? -1 : Number(left.from > right.from),
  )) {
    const last = times.at(-1);
    // Commits state any time: an end before its begin says nothing.
    const isKnown = one.isKnown && one.from <= one.to;
    if (last === undefined || one.from > last.to) times.push({ ...one, isKnown });
    else {
      last.to = Math.max(last.to, one.to);
      last.isKnown &&= isKnown;
    }
  }
  return times.every(
    ({ from, to, isKnown }) =>
      from > until || to < since || (isKnown && (to === since || to - from <= within)),
  );
}

function* cameIn(
  { path, came, via, roots }: LockfileDelta,
  { entry, begin }: { readonly entry: LedgerEntry; readonly begin: number },
  wanted: Wanted,
): Generator<HeldPeriod> {
  for (const [index, id] of idsOf(came).entries()) {
    if (!wanted.has(id)) continue;
    const place = via[index] ?? -1;
    const root = place > 0 ? roots[place - 1] : undefined;
    const use = place === 0 ? { direct: true } : root === undefined ? {} : { direct: false, root };
    yield {
      path,
      id,
      begin,
      ...use,
      ...(entry.held === true ? { notKnownBefore: entry.at } : { from: entry }),
    };
  }
}

function keyOf(path: string, id: number): string {
  return `${id} ${path}`;
}
