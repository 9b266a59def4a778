import { expect, test } from 'vitest';
import { createCoalescer } from '../../src/insights/insights.ts';

function setUp() {
  const coalesce = createCoalescer<string>();
  const started: { signal: AbortSignal; finish: (value: string) => void; fail: (error: Error) => void }[] =
    [];
  const ask = (signal: AbortSignal = new AbortController().signal) =>
    coalesce('key', signal, (signal) => {
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      started.push({ signal, finish: resolve, fail: reject });
      return promise;
    });
  return { ask, started };
}

test('concurrent callers share one request; later callers start another one', async () => {
  const { ask, started } = setUp();
  const answers = Promise.all([ask(), ask()]);
  started[0]?.finish('one');
  expect(await answers).toEqual(['one', 'one']);
  const later = ask();
  expect(started).toHaveLength(2);
  started[1]?.finish('two');
  expect(await later).toBe('two');
});

test('a failure is shared and not stored', async () => {
  const { ask, started } = setUp();
  const answers = Promise.allSettled([ask(), ask()]);
  started[0]?.fail(new Error('down'));
  expect((await answers).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  const later = ask();
  started[1]?.finish('up');
  expect(await later).toBe('up');
});

test('the work ends when the last caller aborts; the next caller starts it again', async () => {
  const { ask, started } = setUp();
  const [first, second] = [new AbortController(), new AbortController()];
  const answers = Promise.allSettled([ask(first.signal), ask(second.signal)]);
  first.abort(new Error('first'));
  expect(started[0]?.signal.aborted).toBe(false);
  second.abort(new Error('second'));
  expect(started[0]?.signal.aborted).toBe(true);
  const fresh = ask();
  started[1]?.finish('fresh');
  started[0]?.fail(new Error('late'));
  expect(await fresh).toBe('fresh');
  expect((await answers).map((answer) => answer.status === 'rejected' && answer.reason.message)).toEqual([
    'first',
    'second',
  ]);
});
