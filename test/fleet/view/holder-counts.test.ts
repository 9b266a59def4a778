import { expect, it } from 'vitest';
import { encodeLockfileIds } from '../../../src/fleet/compact-lockfile.ts';
import { LOCKFILES } from '../../../src/fleet/view/viewed-target.ts';
import { countHolders } from '../../../src/operations/packages/fleet-use.ts';

const list = (lookedUp: readonly number[], excluded: readonly number[] = []) =>
  encodeLockfileIds({ lookedUp: Uint32Array.from(lookedUp), excluded: Uint32Array.from(excluded) });
const target = (...inventories: readonly string[]) => ({
  [LOCKFILES]: inventories.map((inventory) => ({ path: inventory, sha256: '', inventory })),
});

it('counts each target once, whatever its lockfiles, and those of no list not at all', async () => {
  const lists = [new Map([['a', list([1, 3], [5])]]), new Map([['b', list([3, 5, 900])]])];
  const targets = [target('a'), target('a', 'b'), target('b', 'gone'), target()];
  const { byId, isIncomplete } = await countHolders(targets as never, lists, 900);
  expect([1, 2, 3, 5, 900].map((id) => byId[id])).toEqual([2, 0, 3, 3, 2]);
  expect(isIncomplete).toBe(false);
});

it('says that a list is damaged, and counts the others', async () => {
  const lists = [
    new Map([
      ['a', Buffer.from([255, 255, 255, 255])],
      ['b', list([7])],
    ] as const),
  ];
  expect(await countHolders([target('a'), target('b')] as never, lists, 7)).toMatchObject({
    isIncomplete: true,
  });
  const other = await countHolders([target('b')] as never, lists, 7);
  expect([other.byId[7], other.isIncomplete]).toEqual([1, false]);
});
