import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createHttpClient } from '../../src/http/undici-client.ts';
import type { BatchEntry } from '../../src/insights/batch/operation.ts';
import { type Batches, createBatches, purlOperation } from '../../src/insights/batch/operations.ts';
import { inOrder } from '../../src/insights/batch/ordered.ts';
import { createInsightsService, type InsightsService } from '../../src/insights/service.ts';
import { openInsightsApi, startFakeService, untilOpen } from './fake-service.ts';

type Fake = Awaited<ReturnType<typeof startFakeService>>;
const http = createHttpClient({ retry: { attempts: 1, baseMs: 1, longestWaitMs: 1 } });
const signal = new AbortController().signal;
let fake: Fake;
let batches: Batches;
let service: InsightsService;

beforeAll(async () => {
  fake = await startFakeService();
});
beforeEach(async () => {
  service = createInsightsService(await openInsightsApi(http, fake.rootUrl), {
    privatePatterns: ['secret-*'],
  });
  batches = createBatches(service, 8);
  fake.calls.splice(0);
  fake.behaviour.missing.clear();
  fake.behaviour.poison.clear();
  fake.behaviour.latencyMs = 0;
  delete fake.behaviour.override;
  delete fake.behaviour.hold;
});
afterAll(async () => {
  await http.close();
  await fake.close();
});

const keys = (count: number) =>
  Array.from(
    { length: count },
    (_, index) => ({ system: 'NPM', name: `p${index}`, version: '1.0.0' }) as const,
  );

async function all<Request, Value>(entries: AsyncIterable<BatchEntry<Request, Value>>) {
  const list: BatchEntry<Request, Value>[] = [];
  for await (const entry of entries) list.push(entry);
  return list;
}

describe('a batch', () => {
  test('of any size yields one entry for each request, in order, within the limit of concurrency', async () => {
    const wanted = keys(12_345);
    for (const index of [0, 99, 100, 5_000, 12_344]) fake.behaviour.missing.add(`p${index}`);
    fake.behaviour.hold = untilOpen(8, 100);
    const entries = await all(batches.versions(wanted, { signal }));
    expect(entries.map(({ request }) => request)).toEqual(wanted);
    for (const [index, { value, missing }] of entries.entries()) {
      if (fake.behaviour.missing.has(`p${index}`)) expect(missing).toBe(true);
      else expect(value?.versionKey?.name).toBe(`p${index}`);
    }
    expect(Math.max(...fake.calls.map(({ entries }) => entries))).toBeLessThanOrEqual(5_000);
    expect(Math.max(...fake.calls.map(({ overlap }) => overlap))).toBe(8);
    // The page size is learned once: only the rest of the first request is requested twice.
    expect(fake.calls.filter(({ entries }) => entries > 100)).toHaveLength(1);
  });

  test('sends no request that breaks a rule, and loses no other one', async () => {
    const entries = await all(
      batches.purls(
        [
          'pkg:npm/a@1.0.0',
          'pkg:npm/a',
          'pkg:npm/b@1?x=y',
          'pkg:oci/c@1',
          'pkg:npm/secret-x@1',
          'pkg:npm/d@1.0.0',
        ],
        { signal },
      ),
    );
    expect(entries.map(({ value, error }) => error?.rule ?? value?.version?.versionKey?.name)).toEqual([
      'a',
      'purl-with-version',
      'purl-without-qualifiers',
      'purl-type',
      'private-name',
      'd',
    ]);
    expect(fake.calls.map((call) => call.entries)).toEqual([2]);
  });

  test('knows its request in a miss, also by the purl of a version that cannot be read', () => {
    const versionKey = { system: 'NPM', name: 'bad', version: 'not a version' } as const;
    const { repeats } = purlOperation(
      service,
      ({ purl }: { purl: string }) => purl,
      () => versionKey,
    );
    const request = { purl: 'pkg:npm/bad@not%20a%20version' };
    expect([repeats(request, request), repeats(request, { purl: 'pkg:npm/bad@1.0.0' })]).toEqual([
      true,
      false,
    ]);
  });

  test('finds the entry that the service refuses', async () => {
    fake.behaviour.poison.add('p17');
    const entries = await all(batches.versions(keys(40), { signal }));
    expect(
      entries.flatMap(({ request, error }) => (error === undefined ? [] : [[request.name, error.code]])),
    ).toEqual([['p17', 'invalid']]);
  });

  test('looks up Go modules with capitals by name when their purls are not found', async () => {
    const purls = [
      'pkg:golang/github.com/CycloneDX/cyclonedx-go@v0.9.2',
      'pkg:golang/example.com/lower@v1.0.0',
      'pkg:npm/a@1.0.0',
      'pkg:golang/example.com/Missing@v1.0.0',
    ];
    for (const purl of purls) if (purl.includes('golang')) fake.behaviour.missing.add(purl);
    fake.behaviour.missing.add('example.com/Missing');
    const entries = await all(batches.purls(purls, { signal }));
    expect(
      entries.map(({ request, value, missing }) => [request, missing ?? value?.version?.versionKey?.name]),
    ).toEqual([
      [purls[0], 'github.com/CycloneDX/cyclonedx-go'],
      [purls[1], true],
      [purls[2], 'a'],
      [purls[3], true],
    ]);
    expect(fake.calls.map(({ path, entries }) => [path, entries])).toEqual([
      ['/v3alpha/purlbatch', 4],
      ['/v3alpha/versionbatch', 2],
    ]);
    expect(entries[0]).toMatchObject({ raw: { request: { purl: purls[0] }, result: { version: {} } } });
  });

  test('correlates entries by their place and not by the echoed request', async () => {
    fake.behaviour.override = (_request, response) => {
      const request = { versionKey: { system: 'PYPI', name: 'Requests', version: '2.0.0' } };
      const lacking = { versionKey: { ...request.versionKey, name: 'request-Z' } };
      const version = (name: string) => ({ versionKey: { system: 'PYPI', name, version: '2.0.0' } });
      // Both entries echo the first spelling, the third is a miss: nothing but its request, in another spelling.
      const responses = [
        { request, version: version('requests') },
        { request, version: version('requests') },
        { request: lacking },
      ];
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ responses, nextPageToken: '' }));
      return true;
    };
    const spelled = ['Requests', 'requests', 'request.z'].map(
      (name) => ({ system: 'PYPI', name, version: '2.0.0' }) as const,
    );
    const entries = await all(batches.versions(spelled, { signal }));
    expect(entries.map(({ request, value }) => [request.name, value?.versionKey?.name])).toEqual([
      ['Requests', 'requests'],
      ['requests', 'requests'],
      ['request.z', undefined],
    ]);
    expect(entries[2]?.missing).toBe(true);
  });

  test('reports the parts of an entry that do not fit by path, and uses the rest', async () => {
    fake.behaviour.override = (_request, response) => {
      const request = { versionKey: {} };
      const value = { version: { versionKey: keys(1)[0], licenses: 'MIT', isDefault: true } };
      const responses = [value, { version: 'none' }, { request }, { Version: {} }];
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ responses, nextPageToken: '' }));
      return true;
    };
    const [first, second, third, fourth] = await all(batches.versions(keys(4), { signal }));
    expect(first).toMatchObject({
      value: { isDefault: true },
      problems: [{ path: '$.responses[0].version.licenses' }],
      raw: { version: { licenses: 'MIT' } },
    });
    expect(second?.error).toMatchObject({
      code: 'contract',
      message: '$.responses[1].version: an object is expected, there is "none"',
    });
    expect(third?.missing).toBe(true);
    // A miss repeats its request; an entry of another schema is not a miss.
    expect(fourth).toMatchObject({ error: { code: 'contract' } });
    const [narrow] = await all(batches.versions(keys(4), { signal, fields: ['isDefault'] }));
    expect(narrow).toMatchObject({ value: { isDefault: true }, problems: [] });
  });

  test.each([
    ['a version that is a number', { versionKey: { system: 'NPM', name: 'p0', version: 1 } }],
    ['a version that is an object', { versionKey: { system: 'NPM', name: 'p0', version: {} } }],
    ['a package without a version', { versionKey: null, packageKey: { system: 'NPM', name: 'p0' } }],
  ])('a miss that repeats %s is an error of this entry alone', async (_what, echo) => {
    fake.behaviour.override = (_request, response) => {
      const responses = [{ request: echo }, { request: { versionKey: keys(2)[1] } }];
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ responses, nextPageToken: '' }));
      return true;
    };
    for (const [first, second] of [
      await all(batches.versions(keys(2), { signal, fields: ['isDefault'] })),
      await all(batches.findings(keys(2), { signal })),
    ]) {
      expect(first?.missing === true || first?.error?.code === 'contract').toBe(true);
      expect(second?.missing).toBe(true);
    }
  });

  test('yields errors as entries while the service is unavailable, and rejects when it is aborted', async () => {
    fake.behaviour.override = (_request, response) => {
      response.writeHead(500).end('internal error');
      return true;
    };
    const entries = await all(batches.projects(['github.com/a/b', 'github.com/a/c'], { signal }));
    expect(entries.map(({ error }) => [error?.code, error?.retryable])).toEqual([
      ['unavailable', true],
      ['unavailable', true],
    ]);
    const aborted = AbortSignal.abort();
    await expect(all(batches.versions(keys(3), { signal: aborted }))).rejects.toMatchObject({
      code: 'aborted',
    });
  });

  test('aborts running requests when the reader ends the loop', async () => {
    fake.behaviour.latencyMs = 20;
    for await (const { request } of batches.versions(keys(9_000), { signal })) {
      if (request.name === 'p150') break;
    }
    const before = fake.calls.length;
    await new Promise((resolve) => setTimeout(resolve, 100));
    // Requests that were being sent still arrive; later ones do not.
    expect(fake.calls.length).toBeLessThanOrEqual(before + 8);
    expect(fake.calls.length).toBeLessThan(60);
  });
});

test('windows are processed in any order and read in sequence, at most one ahead', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 40 }),
      fc.integer({ min: 1, max: 9 }),
      fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1 }),
      async (count, size, delays) => {
        const items = Array.from({ length: count }, (_, index) => index);
        let read = 0;
        const ahead: number[] = [];
        const entries = inOrder(
          items,
          size,
          async (window, settled) => {
            ahead.push((window[0] ?? 0) - read);
            await Promise.all(
              window.map(async (item, index) => {
                for (let turn = delays[item % delays.length] ?? 0; turn > 0; turn -= 1)
                  await Promise.resolve();
                settled([[index, `entry ${item}`]]);
              }),
            );
          },
          signal,
        );
        for await (const entry of entries) {
          expect(entry).toBe(`entry ${read}`);
          read += 1;
        }
        expect(read).toBe(count);
        expect(Math.max(0, ...ahead)).toBeLessThanOrEqual(size);
      },
    ),
  );
});

test('a failure ends reading at the first missing entry', async () => {
  const seen: number[] = [];
  const entries = inOrder<number, number>(
    [1, 2, 3],
    3,
    async (window, settled) => {
      settled([[0, window[0] ?? 0]]);
      await Promise.resolve();
      throw new Error('lost');
    },
    signal,
  );
  await expect(async () => {
    for await (const entry of entries) seen.push(entry);
  }).rejects.toThrow('lost');
  expect(seen).toEqual([1]);
});
