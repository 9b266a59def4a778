import { expect, it } from 'vitest';
import { ForgettingMap } from '../../src/model/forgetting-map.ts';

it('forgets everything when it is full, and never holds more', () => {
  const map = new ForgettingMap<number, string>(3);
  for (const key of [1, 2, 3]) map.set(key, `value ${key}`);
  expect([1, 2, 3].map((key) => map.get(key))).toEqual(['value 1', 'value 2', 'value 3']);
  map.set(4, 'value 4');
  expect([1, 2, 3, 4].map((key) => map.get(key))).toEqual([undefined, undefined, undefined, 'value 4']);
});
