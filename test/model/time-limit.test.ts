import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { timeLimit } from '../../src/model/time-limit.ts';

describe('a time limit', () => {
  it('aborts when the time is over', async () => {
    const outer = new AbortController();
    const limit = timeLimit(5, outer.signal);
    await sleep(50);
    expect(limit.signal.reason).toMatchObject({ name: 'TimeoutError', message: 'not done within 5 ms' });
    expect(limit.isOver()).toBe(true);
    outer.abort(new Error('later'));
    expect(limit.signal.reason).toMatchObject({ name: 'TimeoutError' });
  });

  it.each([true, false])('aborts with the outer signal, which is aborted before: %s', async (before) => {
    const outer = new AbortController();
    if (before) outer.abort(new Error('stopped'));
    const limit = timeLimit(5, outer.signal);
    if (!before) outer.abort(new Error('stopped'));
    expect(limit.signal.reason).toEqual(new Error('stopped'));
    await sleep(50);
    expect(limit.isOver()).toBe(false);
  });

  it('has no effect once it is released', async () => {
    const outer = new AbortController();
    const limit = timeLimit(5, outer.signal);
    limit.release();
    outer.abort();
    await sleep(50);
    expect([limit.signal.aborted, limit.isOver()]).toEqual([false, false]);
  });

  it('needs no outer signal', async () => {
    const limit = timeLimit(5, undefined);
    await sleep(50);
    expect(limit.isOver()).toBe(true);
  });
});
