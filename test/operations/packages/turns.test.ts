import { describe, expect, it } from 'vitest';
import { createTurns } from '../../../src/operations/packages/turns.ts';

const { signal } = new AbortController();

/** Questions whose work ends when it is told to; `begun`: whose work began, in order. */
function openTurns() {
  const inTurn = createTurns();
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const ask = (caller: string, packages: number, asked = signal) =>
    inTurn({ caller, packages, signal: asked }, async () => {
      begun.push(caller);
      await new Promise<void>((resolve) => ends.push(resolve));
      return caller;
    });
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  return {
    ask,
    begun,
    /** Ends the work that began first. */
    async end() {
      ends.shift()?.();
      await turn();
    },
    turn,
  };
}

describe('questions about packages', () => {
  it('wait while many packages are judged, and callers take turns', async () => {
    const { ask, begun, end, turn } = openTurns();
    const all = [1, 2, 3, 4, 5].map(() => ask('many', 20_000));
    await turn();
    expect(begun).toEqual(['many', 'many']);
    all.push(ask('few', 1), ask('few', 25));
    await turn();
    expect(begun).toHaveLength(2);
    await end();
    // A question that does not fit yet holds its place.
    expect(begun).toEqual(['many', 'many', 'many']);
    await end();
    expect(begun).toEqual(['many', 'many', 'many', 'few']);
    await end();
    expect(begun).toEqual(['many', 'many', 'many', 'few', 'many', 'few']);
    for (let count = 0; count < 5; count += 1) await end();
    expect(await Promise.all(all)).toHaveLength(7);
  });

  it('are refused where too many of their caller wait, and others are not', async () => {
    const { ask, end, turn } = openTurns();
    const all = Array.from({ length: 1_100 }, () => ask('many', 50).catch((error) => error));
    const other = ask('few', 1);
    for (let count = 0; count < 1_100; count += 1) await end();
    const answers = await Promise.all(all);
    const refused = answers.filter((one) => one !== 'many');
    expect(refused.length).toBe(98);
    expect(refused[0]).toMatchObject({
      status: 429,
      code: 'too-many-questions',
      headers: { 'retry-after': '5' },
    });
    await turn();
    expect(await other).toBe('few');
  });

  it('free their turn when they fail, and are not worked on for a caller who is gone', async () => {
    const inTurn = createTurns();
    const fail = () =>
      inTurn({ caller: 'a', packages: 1_000, signal }, () => Promise.reject(new Error('no')));
    for (let count = 0; count < 5; count += 1) await expect(fail()).rejects.toThrow('no');
    const { ask, begun, end, turn } = openTurns();
    const gone = new AbortController();
    const running = [ask('a', 1_000), ask('a', 1_000)];
    const waiting = ask('a', 1_000, gone.signal);
    await turn();
    gone.abort(new Error('gone'));
    await Promise.all([expect(waiting).rejects.toThrow('gone'), end(), end()]);
    expect(await Promise.all(running)).toEqual(begun);
  });
});
