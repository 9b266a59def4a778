/** Returns numbers in [0, 1) that follow from the seed (mulberry32). */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
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
