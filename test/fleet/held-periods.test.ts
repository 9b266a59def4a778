import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { IdList } from '../../src/fleet/id-list.ts';
import { heldPeriods, overlaps, wereGoneWithin } from '../../src/fleet/ledger/held-periods.ts';
import { headOf, namedIds, withOtherIds } from '../../src/fleet/ledger/ledger-entries.ts';
import { lockfileDeltas } from '../../src/fleet/ledger/lockfile-deltas.ts';
import type { LedgerEntry } from '../../src/model/fleet/ledger.ts';

type Files = Readonly<Record<string, readonly number[]>>;
const NONE: IdList = new Uint32Array();

function compared(files: Files) {
  return Object.entries(files).map(([path, ids]) => ({
    path,
    inventory: JSON.stringify(ids),
    ids: { lookedUp: Uint32Array.from(new Set(ids)).sort(), excluded: NONE },
  }));
}

/** The ledger of a target whose scans saw these files; the first one is known to hold anything. */
function ledgerOf(states: readonly Files[]): readonly LedgerEntry[] {
  return states.flatMap((files, index): LedgerEntry[] => {
    const entry = { at: index + 1, scan: `s${index + 1}` };
    if (index === 0) return [{ ...entry, start: true }];
    const deltas = lockfileDeltas(compared(states[index - 1] ?? {}), compared(files));
    return deltas.length === 0 ? [] : [{ ...entry, files: deltas }];
  });
}

const states = fc.array(
  fc.dictionary(
    fc.constantFrom('a.lock', 'b.lock'),
    fc.array(fc.integer({ min: 1, max: 400 }), { maxLength: 8 }),
    { maxKeys: 2 },
  ),
  { minLength: 1, maxLength: 8 },
);

function currentOf(files: Files | undefined): ReadonlyMap<string, Set<number>> {
  return new Map(Object.entries(files ?? {}).map(([path, ids]) => [path, new Set(ids)]));
}

const ALL = { has: () => true };

describe('the periods of packages', () => {
  it('say of each scan what it saw, whatever came and went', () => {
    fc.assert(
      fc.property(states, (all) => {
        const periods = heldPeriods(ledgerOf(all), currentOf(all.at(-1)), ALL);
        for (const [index, files] of all.entries()) {
          const held = periods.filter((one) => overlaps(one, index + 1, index + 1));
          const expected = Object.entries(files).flatMap(([path, ids]) =>
            [...new Set(ids)].map((id) => `${path} ${id}`),
          );
          expect(held.map(({ path, id }) => `${path} ${id}`).sort()).toEqual(expected.sort());
        }
      }),
    );
  });

  it('are those of the packages after their ids change', () => {
    fc.assert(
      fc.property(states, (all) => {
        const entries = ledgerOf(all);
        const ids = [...namedIds(entries)];
        const others = new Map(ids.map((id) => [id, 1_000 - id]));
        const moved = withOtherIds(entries, others);
        const back = withOtherIds(moved, new Map(ids.map((id) => [1_000 - id, id])));
        expect(back).toEqual(entries);
        expect(headOf(moved)?.ids.length).toBe(headOf(entries)?.ids.length);
      }),
    );
  });

  it('are not known before the first scan, and between two parts of a ledger', () => {
    const entries: LedgerEntry[] = [
      { at: 10, scan: 's1', start: true },
      { at: 20, scan: 's2', files: [{ path: 'p', came: [5], via: [0], roots: [], went: [1] }] },
      { at: 25, scan: 's2', delivered: 'default' },
      { at: 30, scan: 's3', start: true },
    ];
    const periods = heldPeriods(entries, new Map([['p', [5, 7]]]), ALL);
    expect(periods).toEqual([
      { path: 'p', id: 1, begin: 0, notKnownBefore: 10, until: entries[1] },
      { path: 'p', id: 5, begin: 1, direct: true, from: entries[1], notKnownAfter: 20 },
      { path: 'p', id: 5, begin: 3, notKnownBefore: 30 },
      { path: 'p', id: 7, begin: 3, notKnownBefore: 30 },
    ]);
    const at = (time: number) => periods.filter((one) => overlaps(one, time, time)).map(({ id }) => id);
    expect([at(9), at(10), at(20), at(25), at(30)]).toEqual([[], [1], [5], [], [5, 7]]);
    // What the lost part may have held keeps its name.
    expect(headOf(entries)).toEqual({ since: 30, ids: Uint32Array.of(1, 5) });
  });

  it('are in the order in which they were recorded, also those of the same second', () => {
    const moved = (scan: string, came: number[], went: number[]): LedgerEntry => {
      return { at: 20, scan, files: [{ path: 'p', came, via: came.map(() => 0), roots: [], went }] };
    };
    const entries = [
      moved('s1', [1], []),
      moved('s2', [2], []),
      moved('s3', [3], [2]),
      moved('s4', [4], [1, 2]),
    ];
    const periods = heldPeriods(entries, new Map([['p', [4]]]), ALL);
    expect(periods.map(({ id, from }) => [id, from?.scan])).toEqual([
      [1, 's1'],
      [2, 's2'],
      [3, 's3'],
      [4, 's4'],
    ]);
  });

  it('are short where the last of all packages went in time, in whichever lockfile', () => {
    const moved = (at: number, path: string, came: number[], went: number[]): LedgerEntry => {
      const via = came.map(() => 0);
      return { at, scan: `s${at}`, files: [{ path, came, via, roots: [], went }] };
    };
    const entries = [
      { at: 10, scan: 's10', start: true as const },
      moved(20, 'a', [5], []),
      moved(24, 'b', [6], []),
      // Another one of them follows in the same scan.
      moved(28, 'b', [5], [6]),
      moved(30, 'a', [], [5]),
      moved(36, 'b', [], [5]),
      moved(50, 'a', [6], []),
      moved(52, 'a', [], [6]),
    ];
    const EVER = { since: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY };
    const gone = (all: readonly LedgerEntry[], within: number, time = EVER, current = {}) =>
      wereGoneWithin(heldPeriods(all, currentOf(current), ALL), { ...time, within });
    expect([gone(entries, 15), gone(entries, 16)]).toEqual([false, true]);
    expect(gone(entries, 2, { since: 40, until: 60 })).toBe(true);
    expect(gone(entries, 2, { since: 36, until: 60 })).toBe(true);
    expect(gone(entries, 2, { since: 35, until: 60 })).toBe(false);
    // Its begin, its end, or the time between is not known.
    expect(gone([...entries, moved(60, 'c', [], [9])], 1_000)).toBe(false);
    expect(gone(entries, 1_000, EVER, { c: [5] })).toBe(false);
    expect(gone([...entries, moved(60, 'a', [5], []), { at: 70, scan: 's70', start: true }], 1_000)).toBe(
      false,
    );
    expect(gone([...entries, moved(60, 'a', [5], []), moved(55, 'a', [], [5])], 1_000)).toBe(false);
  });
});
