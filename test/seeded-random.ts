/**
 * Random numbers in [0, 1) for a test, from the seed in the environment variable or a new one. Prints the seed, so that a
 * failed run can be repeated.
 */
export function randomOf(variable: string): () => number {
  const seed = Number(process.env[variable] ?? Math.floor(Math.random() * 1_000_000));
  process.stdout.write(`${variable}=${seed}\n`);
  return seededRandom(seed);
}

/** Random numbers in [0, 1), the same for each seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
