import { seededRandom } from '../test/seeded-random.ts';

/** Creates a source of random numbers that follow from the seed. */
export function createRandom(seed: number): Random {
  const next = seededRandom(seed);
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    next,
    below,
    between: (from, to) => from + below(to - from + 1),
    oneOf: (items) => items[below(items.length)] as (typeof items)[number],
    fork: () => createRandom(below(4_294_967_296)),
  };
}

export interface Random {
  next(): number;
  /** Returns an integer in [0, limit). */
  below(limit: number): number;
  /** Returns an integer in [from, to]. */
  between(from: number, to: number): number;
  oneOf<Item>(items: readonly Item[]): Item;
  /** Returns another source, whose numbers do not depend on how many this one gives from now on. */
  fork(): Random;
}
