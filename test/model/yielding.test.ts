import { describe, expect, it } from 'vitest';
import { inSlices, mapInSlices, oneByOne } from '../../src/model/yielding.ts';

describe('work that yields to the event loop', () => {
  it('maps every item with its position', async () => {
    const list = Array.from({ length: 1_001 }, (_, index) => index);
    expect(await mapInSlices(list, (item, index) => item * 2 === index * 2)).toEqual(list.map(() => true));
    expect(await mapInSlices([], () => 1)).toEqual([]);
  });

  it('yields to other work', async () => {
    let others = 0;
    const count = () => {
      others += 1;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    for await (const _slice of inSlices(Array.from({ length: 100 }), 1)) {
      for (const until = performance.now() + 3; performance.now() < until; );
    }
    clearImmediate(timer);
    expect(others).toBeGreaterThan(2);
  });
});

it('runs work that is due at the same time one by one, with other work in between', async () => {
  const next = oneByOne();
  const order: string[] = [];
  const other = () => {
    order.push('other');
    if (order.length < 20) setImmediate(other);
  };
  setImmediate(other);
  await Promise.all(
    [1, 2, 3, 4].map(async (piece) => {
      await next();
      order.push(`piece ${piece}`);
    }),
  );
  expect(order.filter((one) => one !== 'other')).toEqual(['piece 1', 'piece 2', 'piece 3', 'piece 4']);
  expect(order.join()).not.toMatch(/piece \d,piece/);
});
