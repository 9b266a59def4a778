import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { raceAbort } from '../../src/model/time-limit.ts';

test('returns the result, or rejects with the reason of the signal, and removes its listener', async () => {
  const controller = new AbortController();
  const { signal } = controller;
  expect(await raceAbort(Promise.resolve(1), undefined)).toBe(1);
  expect(await raceAbort(Promise.resolve(1), signal)).toBe(1);
  const pending = raceAbort(new Promise(() => {}), signal);
  controller.abort(new Error('stop'));
  await expect(pending).rejects.toThrow('stop');
  await expect(raceAbort(new Promise(() => {}), signal)).rejects.toThrow('stop');
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('work that fails after the abort is not an unhandled rejection', async () => {
  const work = Promise.withResolvers<void>();
  await expect(raceAbort(work.promise, AbortSignal.abort(new Error('stop')))).rejects.toThrow('stop');
  work.reject(new Error('later'));
  await new Promise((resolve) => setImmediate(resolve));
});
