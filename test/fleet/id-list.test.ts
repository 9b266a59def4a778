import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createIdSet, decodeIds, encodeIds, heldIds, visitIds } from '../../src/fleet/id-list.ts';

const ids = fc
  .uniqueArray(fc.oneof(fc.nat(300), fc.nat(2 ** 31 - 1)), { maxLength: 500 })
  .map((list) => list.toSorted((left, right) => left - right));

describe('a list of ids', () => {
  it('is read as it was written', () => {
    fc.assert(
      fc.property(ids, (list) => {
        expect([...decodeIds(encodeIds(list))]).toEqual(list);
      }),
    );
  });

  it('takes about a byte for each id of a dense list', () => {
    const dense = Array.from({ length: 1_000 }, (_, index) => index * 100);
    expect(encodeIds(dense).length).toBeLessThanOrEqual(1_000);
  });

  it('is an error when its last id is cut off', () => {
    const encoded = encodeIds([1, 100_000]);
    expect(() => decodeIds(encoded.subarray(0, -1))).toThrow(RangeError);
    expect(() => visitIds(encoded.subarray(0, -1), () => {})).toThrow('cut off');
    expect([...decodeIds(Buffer.alloc(0))]).toEqual([]);
  });
});

describe('a set of ids', () => {
  it('has what was added, once and in ascending order', () => {
    const small = fc.array(fc.nat(100_000), { maxLength: 200 });
    fc.assert(
      fc.property(small, small, (list, others) => {
        const set = createIdSet(list);
        const expected = new Set(list);
        expect(set.size).toBe(expected.size);
        expect([...set.toList()]).toEqual([...expected].sort((left, right) => left - right));
        for (const other of others) expect(set.has(other)).toBe(expected.has(other));
      }),
    );
  });
});

describe('the wanted ids of a list', () => {
  it('are those that both have', () => {
    const sorted = ids.map((list) => Uint32Array.from(list));
    fc.assert(
      fc.property(sorted, sorted, (list, wanted) => {
        expect(heldIds(encodeIds(list), wanted)).toEqual([...list].filter((id) => wanted.includes(id)));
        expect(heldIds(encodeIds(list), list)).toEqual([...list]);
      }),
    );
  });

  it('are not read from a list that is cut off', () => {
    expect(() => heldIds(encodeIds([5, 300]).subarray(0, 2), Uint32Array.of(300))).toThrow(RangeError);
  });
});
