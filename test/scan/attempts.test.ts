import { describe, expect, it, vi } from 'vitest';
import { CodedError } from '../../src/model/errors.ts';
import { type Attempt, createAttempts, IncompleteError } from '../../src/scan/attempt.ts';

class FinalError extends CodedError<'final'> {}

function room(backoffMs = 1) {
  const end = new AbortController();
  const waits: number[] = [];
  const seen: boolean[] = [];
  const attempts = createAttempts({
    signal: end.signal,
    onProgress: () => {},
    onRetry: (_reason, delayMs) => void waits.push(delayMs),
    backoffMs,
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

  it('waits for ten minutes at most, and its last attempt takes what is known', async () => {
    vi.doMock('node:timers/promises', () => ({ setTimeout: async () => {} }));
    vi.resetModules();
    try {
      const { createAttempts: create } = await import('../../src/scan/attempt.ts');
      const { IncompleteError: Incomplete } = await import('../../src/scan/attempt.ts');
      const waits: number[] = [];
      const onRetry = (_reason: string, delayMs: number) => void waits.push(delayMs);
      const attempts = create({ signal: new AbortController().signal, onProgress: () => {}, onRetry });
      const busy = () =>
        Promise.reject(new Incomplete('lookups-incomplete', 'slow down', { retryAfterMs: 1e12 }));
      const result = attempts(async ({ lastAttempt }) => (lastAttempt ? 'what is known' : await busy()));
      await expect(result).resolves.toBe('what is known');
      expect(waits).toEqual([300_000, 300_000, expect.any(Number)]);
      expect(waits[2]).toBeLessThan(1_000);
      await expect(attempts(busy)).rejects.toThrow('slow down');
    } finally {
      vi.doUnmock('node:timers/promises');
    }
  });

  it.each([
    ['that runs', () => new Promise<never>(() => {})],
    ['that waits for its next attempt', () => Promise.reject(new Error('again'))],
  ])('%s ends at once with the reason of the signal', async (_what, step) => {
    const { attempts, end } = room(60_000);
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
