import { describe, expect, test } from 'vitest';
import { InsightsError, type InsightsErrorCode } from '../../src/insights/errors.ts';
import { createGate } from '../../src/insights/gate.ts';

const signal = new AbortController().signal;

function setUp() {
  const service = { now: 0, asked: 0, error: undefined as InsightsError | undefined };
  const gate = createGate({ now: () => service.now });
  const ask = (operation = 'a') =>
    gate(
      operation,
      async () => {
        service.asked += 1;
        await Promise.resolve();
        if (service.error !== undefined) throw service.error;
        return 'answer';
      },
      signal,
    ).catch(({ code }: InsightsError) => code);
  const fails = (code: InsightsErrorCode, retryAfterMs?: number) => {
    service.error = new InsightsError(code, code, { retryable: true, retryAfterMs });
  };
  return { service, ask, fails };
}

async function times(count: number, ask: () => Promise<string>): Promise<readonly string[]> {
  const answers: string[] = [];
  for (let index = 0; index < count; index += 1) answers.push(await ask());
  return answers;
}

describe('an operation that fails', () => {
  test.each(['refused', 'unavailable', 'contract'] as const)(
    '(%s) gets no further requests, except one at a time to try again',
    async (code) => {
      const { service, ask, fails } = setUp();
      fails(code);
      expect(await times(20, ask)).toEqual(Array(20).fill(code));
      expect(service.asked).toBe(3);
      service.now = 1_000;
      expect(await Promise.all([ask(), ask(), ask()])).toEqual([code, code, code]);
      expect(service.asked).toBe(4);
      service.now = 2_999;
      await ask();
      expect(service.asked).toBe(4);
      service.now = 3_000;
      service.error = undefined;
      expect(await Promise.all([ask(), ask(), ask()])).toEqual(['answer', 'answer', 'answer']);
    },
  );

  test('is the reason for a request that was not sent, and not the request that failed', async () => {
    const gate = createGate({ now: () => 0 });
    const failed = new InsightsError('unavailable', 'GET /one: HTTP 503', {
      retryable: true,
      retryAfterMs: 7,
    });
    const ask = () => gate('get', () => Promise.reject(failed), signal);
    for (let count = 0; count < 3; count += 1) await expect(ask()).rejects.toBe(failed);
    await expect(ask()).rejects.toMatchObject({
      code: 'unavailable',
      message: 'get is out of service, so it was not asked (GET /one: HTTP 503)',
      retryable: true,
      retryAfterMs: 7,
      cause: failed,
    });
  });

  test('is tried again at least once a minute', async () => {
    const { service, ask, fails } = setUp();
    fails('unavailable');
    await times(3, ask);
    for (let minute = 0; minute < 60; minute += 1) {
      service.now += 60_000;
      await ask();
    }
    expect(service.asked).toBe(63);
  });

  test('stops no other operation', async () => {
    const { service, ask, fails } = setUp();
    fails('unavailable');
    await times(5, ask);
    service.error = undefined;
    expect(await ask('b')).toBe('answer');
    expect(await ask('a')).toBe('unavailable');
  });

  test('waits as long as the service asks for', async () => {
    const { service, ask, fails } = setUp();
    fails('rate-limited', 5_000);
    await times(3, ask);
    service.now = 4_999;
    await ask();
    expect(service.asked).toBe(1);
    service.now = 5_000;
    await ask();
    expect(service.asked).toBe(2);
  });
});

test.each(['not-found', 'invalid'] as const)('%s is an answer about one request', async (code) => {
  const { service, ask, fails } = setUp();
  fails(code);
  await times(20, ask);
  expect(service.asked).toBe(20);
});

test('an abort of the request that tries again lets another one try', async () => {
  let now = 0;
  const gate = createGate({ now: () => now });
  const refuse = () => Promise.reject(new InsightsError('refused', 'refused'));
  for (let count = 0; count < 3; count += 1) await gate('a', refuse, signal).catch(() => {});
  now = 1_000;
  const aborted = gate('a', () => Promise.reject(new Error('aborted')), signal);
  const waiting = gate('a', () => Promise.resolve('answer'), signal);
  await expect(aborted).rejects.toThrow('aborted');
  expect(await waiting).toBe('answer');
});
