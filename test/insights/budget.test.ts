import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openInsightsApi } from '../../src/compose/insights.ts';
import { createLocalBudget } from '../../src/insights/local-budget.ts';
import * as operations from '../../src/insights/operations.ts';
import { createInsightsService } from '../../src/insights/service.ts';
import { createRequestBudget } from '../../src/store/request-budget.ts';
import { openStoreRoom, type StoreRoom } from '../store/store-room.ts';

/** The time at which each request arrived, in ms. */
const came: number[] = [];
let limit: { readonly status: number; readonly retryAfter: string }[] = [];
const server = createServer((_request, response) => {
  came.push(performance.now());
  const refused = limit.shift();
  if (refused === undefined) return void response.setHeader('content-type', 'application/json').end('{}');
  response.writeHead(refused.status, { 'retry-after': refused.retryAfter }).end('slow down');
});
let room: StoreRoom;
let url: string;
const name = { system: 'NPM', name: 'a' } as const;
const signal = new AbortController().signal;

beforeAll(async () => {
  room = await openStoreRoom();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => void came.splice(0));
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  await room.close();
});

async function worker(budget: string, perSecond: number) {
  const shared = createRequestBudget(room.redis, room.keys, { name: budget, perSecond });
  const { api, http } = await openInsightsApi({ url, timeout: 5_000, concurrency: 50 }, { budget: shared });
  const service = createInsightsService(api);
  const ask = (abort = signal) => operations.getPackage(service, name, { signal: abort });
  return { ask, close: () => http.close() };
}

test('two workers together stay within the budget', async () => {
  const workers = [await worker('together', 50), await worker('together', 50)];
  const began = performance.now();
  await Promise.all(Array.from({ length: 40 }, (_, index) => workers[index % 2]?.ask()));
  for (const one of workers) await one.close();
  expect(came).toHaveLength(40);
  // The fortieth request is due 780 ms after the first, which is due immediately. A request may be late but not early.
  expect((came.at(-1) ?? 0) - began).toBeGreaterThan(740);
});

test('a 429 that one worker receives pauses both workers', async () => {
  const [one, two] = [await worker('shut', 1_000), await worker('shut', 1_000)];
  limit = [{ status: 429, retryAfter: '3' }];
  const { error } = await one.ask();
  expect(error).toMatchObject({ code: 'rate-limited', retryAfterMs: 3_000 });
  const impatient = await two.ask(AbortSignal.timeout(150)).catch((reason: { code: string }) => reason.code);
  expect(impatient).toBe('aborted');
  expect(came).toHaveLength(1);
  await two.ask();
  expect((came[1] ?? 0) - (came[0] ?? 0)).toBeGreaterThan(2_950);
  for (const each of [one, two]) await each.close();
});

test('a repeated attempt is counted too', async () => {
  const one = await worker('repeated', 4);
  limit = [{ status: 503, retryAfter: '0' }];
  const began = performance.now();
  await one.ask();
  await one.close();
  expect(came).toHaveLength(2);
  // The first request may arrive late on a busy machine.
  expect((came[1] ?? 0) - began).toBeGreaterThan(240);
});

test('a 429 without Retry-After pauses for some seconds', async () => {
  const one = await worker('untold', 1_000);
  limit = Array.from({ length: 3 }, () => ({ status: 429, retryAfter: '' }));
  expect((await one.ask()).error).toMatchObject({ code: 'rate-limited', retryAfterMs: 5_000 });
  await one.close();
});

test('a budget of one process limits the rate, pauses and can be aborted', async () => {
  const budget = createLocalBudget(50);
  const began = performance.now();
  await Promise.all(Array.from({ length: 11 }, () => budget.take()));
  expect(performance.now() - began).toBeGreaterThan(195);
  await budget.pause(5_000);
  await expect(budget.take(AbortSignal.timeout(30))).rejects.toMatchObject({ name: 'AbortError' });
});
