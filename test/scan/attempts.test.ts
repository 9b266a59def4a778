import { describe, expect, it } from 'vitest';
import { CodedError } from '../../src/model/errors.ts';
import { type Attempt, createAttempts, IncompleteError } from '../../src/scan/attempt.ts';

class FinalError extends CodedError<'final'> {}

function room({ backoffMs = 1, maxPausedMs = 1_000 } = {}) {
  const end = new AbortController();
  const waits: number[] = [];
  const seen: boolean[] = [];
  const attempts = createAttempts({
    signal: end.signal,
    onProgress: () => {},
    onRetry: (_reason, delayMs) => void waits.push(delayMs),
    backoffMs,
    maxPausedMs,
  });
  /** Runs a step that fails with these errors, one after the other, and succeeds then. */
  const run = (...errors: readonly unknown[]) => {
    const left = [...errors];
    return attempts(async ({ lastAttempt }: Attempt) => {
      seen.push(lastAttempt);
      if (left.length > 0) throw left.shift();
      return 'done';
    });
  };
  return { end, waits, seen, attempts, run };
}

describe('a step of a scan without a queue', () => {
  it('gets two attempts, and knows which one is the last', async () => {
    const { run, seen } = room();
    expect(await run(new Error('once'))).toBe('done');
    expect(seen).toEqual([false, true]);
    await expect(run(new Error('first'), new Error('second'))).rejects.toThrow('second');
  });

  it('is not tried again where that cannot help', async () => {
    const { run, seen } = room();
    await expect(run(new FinalError('final', 'no'))).rejects.toThrow('no');
    expect(seen).toEqual([false]);
  });

  it('waits for as long as the service asks, which counts no attempt', async () => {
    const { run, waits, seen } = room();
    const busy = new IncompleteError('lookups-incomplete', 'slow down', { retryAfterMs: 3 });
    expect(await run(busy, busy, busy)).toBe('done');
    expect(waits).toEqual([3, 3, 3]);
    expect(seen).toEqual([false, false, false, false]);
  });

  const busy = (open?: number) =>
    new IncompleteError('lookups-incomplete', 'slow down', {
      retryAfterMs: 3,
      ...(open === undefined ? {} : { open }),
    });

  it('waits without an end while the service answers something in between', async () => {
    const { run, waits, seen } = room({ maxPausedMs: 6 });
    expect(await run(...[9, 8, 8, 7, 7, 6, 5, 4, 4, 3].map(busy))).toBe('done');
    expect(waits).toEqual(Array(10).fill(3));
    expect(seen).not.toContain(true);
  });

  it.each([
    ['answers nothing', [9, 9, 9]],
    ['answers less than before', [8, 9, 9]],
    ['does not say what is left', [undefined, undefined, undefined]],
  ])('ends its wait when the service %s, and its last attempt takes what is known', async (_what, open) => {
    const { run, waits, seen } = room({ maxPausedMs: 6 });
    expect(await run(...open.map(busy))).toBe('done');
    expect(waits).toEqual([3, 3, expect.any(Number)]);
    expect(seen).toEqual([false, false, false, true]);
    await expect(run(...open.map(busy), busy())).rejects.toThrow('slow down');
  });

  it.each([
    ['that runs', () => new Promise<never>(() => {})],
    ['that waits for its next attempt', () => Promise.reject(new Error('again'))],
  ])('%s ends at once with the reason of the signal', async (_what, step) => {
    const { attempts, end } = room({ backoffMs: 60_000 });
    const reason = new Error('interrupted');
    const began = Promise.withResolvers<void>();
    const result = attempts(() => {
      began.resolve();
      return step();
    });
    await began.promise;
    end.abort(reason);
    await expect(result).rejects.toBe(reason);
  });
});
