import fc from 'fast-check';
import pLimit from 'p-limit';
import { expect, test } from 'vitest';
import { type PageSize, runBatch } from '../../src/insights/batch/engine.ts';
import { InsightsError } from '../../src/insights/errors.ts';

type Outcome = { readonly answer?: number; readonly error?: InsightsError };

interface Service {
  /** Page sizes, used in a cycle. */
  readonly pages: readonly number[];
  readonly poison: ReadonlySet<number>;
  /** Requests (counted) that get no answer. */
  readonly lost: ReadonlySet<number>;
}

async function run(
  count: number,
  service: Service,
  page: PageSize = { learned: undefined },
  concurrency = 4,
) {
  const requests = Array.from({ length: count }, (_, index) => index);
  const settled = new Map<number, Outcome>();
  const sizes: number[] = [];
  const settle = (index: number, outcome: Outcome) => {
    expect(settled.has(index), 'settled once').toBe(false);
    settled.set(index, outcome);
  };
  await runBatch(
    {
      requests,
      async send(part, token, check) {
        const call = sizes.push(part.length);
        await Promise.resolve();
        if (service.lost.has(call)) throw new InsightsError('unavailable', 'lost', { retryable: true });
        if (part.some((entry) => service.poison.has(entry))) throw new InsightsError('invalid', 'poison');
        const start = Number(token ?? 0);
        const end = start + (service.pages[call % service.pages.length] ?? 1);
        const page = {
          responses: part.slice(start, end),
          nextPageToken: end < part.length ? String(end) : '',
        };
        check(page);
        return page;
      },
      answered(start, { responses }) {
        for (const [index, answer] of responses.entries()) settle(start + index, { answer });
      },
      failed(start, end, error) {
        for (let index = start; index < end; index += 1) settle(index, { error });
      },
    },
    page,
    pLimit(concurrency),
  );
  return { settled, sizes };
}

const indexes = (max: number) => fc.uniqueArray(fc.integer({ min: 0, max }), { maxLength: 5 });

test('every entry is settled once, with its own answer or an error', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 2500 }),
      fc.array(fc.integer({ min: 1, max: 1200 }), { minLength: 1, maxLength: 3 }),
      indexes(2500),
      indexes(30),
      fc.option(fc.integer({ min: 50, max: 1500 }), { nil: undefined }),
      async (count, pages, poison, lost, learned) => {
        const service = {
          pages: pages.map((page) => page + 20),
          poison: new Set(poison),
          lost: new Set(lost),
        };
        const { settled, sizes } = await run(count, service, { learned });
        expect(settled.size).toBe(count);
        const isAnswered = [...settled.values()].some(({ error }) => error === undefined);
        for (const [index, { answer, error }] of settled) {
          if (error === undefined) expect(answer).toBe(index);
          if (service.poison.has(index)) expect(error).toBeDefined();
          // When nothing was answered, the service may refuse everything.
          else if (lost.length === 0 && isAnswered) expect(error).toBeUndefined();
        }
        expect(Math.max(0, ...sizes)).toBeLessThanOrEqual(1000);
      },
    ),
    { numRuns: 150 },
  );
});

test('a page without progress ends the batch and is not requested again', async () => {
  const settled: Outcome[] = [];
  let calls = 0;
  await runBatch(
    {
      requests: [1, 2, 3],
      async send(_part, _token, check) {
        calls += 1;
        const page = { responses: calls === 1 ? [1] : [], nextPageToken: 'again' };
        check(page);
        return page;
      },
      answered: (_start, { responses }) => settled.push(...responses.map((answer) => ({ answer }))),
      failed: (start, end, error) => settled.push(...Array.from({ length: end - start }, () => ({ error }))),
    },
    { learned: 3 },
    pLimit(1),
  );
  expect(calls).toBe(2);
  expect(settled.map(({ error }) => error?.code)).toEqual([undefined, 'contract', 'contract']);
});

test('a service that limits the rate gets no further requests', async () => {
  let calls = 0;
  await runBatch(
    {
      requests: Array.from({ length: 1000 }, (_, index) => index),
      async send() {
        calls += 1;
        throw new InsightsError('rate-limited', 'slow down', { retryable: true, retryAfterMs: 60_000 });
      },
      answered: () => expect.unreachable(),
      failed: (_start, _end, error) => expect(error.retryAfterMs).toBe(60_000),
    },
    { learned: 100 },
    pLimit(1),
  );
  expect(calls).toBe(1);
});

test('an error that is not of the service ends the batch', async () => {
  const batch = {
    requests: [1],
    send: () => Promise.reject(new Error('aborted')),
    answered: () => expect.unreachable(),
    failed: () => expect.unreachable(),
  };
  await expect(runBatch(batch, { learned: undefined }, pLimit(1))).rejects.toThrow('aborted');
});
