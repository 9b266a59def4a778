import { afterEach, describe, expect, test } from 'vitest';
import { createGate } from '../../src/insights/gate.ts';
import { UNCOVERED } from '../../src/model/api/extensions.ts';
import type { LockedPackage } from '../../src/model/lockfile/lockfile.ts';
import { unhandledDuring } from '../unhandled.ts';
import { createMemoryCache, locked, manyLocked, startFakeService, untilOpen } from './fake-service.ts';

type Fake = Awaited<ReturnType<typeof startFakeService>>;
type Override = NonNullable<Fake['behaviour']['override']>;
const closing: Fake[] = [];

afterEach(async () => {
  for (const fake of closing.splice(0)) await fake.close();
});

async function setUp(options: Parameters<typeof startFakeService>[0] = {}) {
  const fake = await startFakeService(options);
  closing.push(fake);
  const resolve = (packages: readonly LockedPackage[], signal = new AbortController().signal) =>
    fake.insights.resolve(packages, { signal });
  return { ...fake, resolve };
}

const namesOf = (resolutions: readonly { record?: { versionKey: { name: string } } }[]) =>
  resolutions.map(({ record }) => record?.versionKey.name);

describe('a service that does not cover all packages', () => {
  async function scan(uncovered: unknown) {
    const seen = { has: async (keys: readonly string[]) => keys.map(() => true), add: async () => {} };
    const { behaviour, resolve } = await setUp({ seen });
    const [held, lacking, other] = [locked('held'), locked('held', { version: '9.0.0' }), locked('other')];
    behaviour.override = (_request, response) => {
      const responses = [
        { request: {}, result: { version: versionOf(held) } },
        { request: {} },
        { request: {} },
      ];
      const page = {
        responses,
        nextPageToken: '',
        ...(uncovered === undefined ? {} : { [UNCOVERED]: uncovered }),
      };
      response.end(JSON.stringify(page));
      return true;
    };
    const answer = await resolve([held, lacking, other]);
    return { ...answer, outcomes: answer.resolutions.map(({ outcome }) => outcome) };
  }
  const versionOf = ({ name, version }: LockedPackage) => ({
    versionKey: { system: 'NPM', name, version },
    licenses: [],
    advisoryKeys: [],
  });

  test('says so by entry: such a miss is uncovered, also of a version that was seen before', async () => {
    const { outcomes, resolutions, retryable } = await scan([2]);
    expect(outcomes).toEqual(['resolved', 'missing', 'uncovered']);
    expect(resolutions[2]?.reason).toBe('not in the local data set');
    expect(retryable).toBe(false);
  });

  test.each([
    ['an unreadable list', 'everything', ['resolved', 'uncovered', 'uncovered']],
    ['a list that names a found entry', [0, 1], ['resolved', 'uncovered', 'missing']],
    ['no list', undefined, ['resolved', 'missing', 'missing']],
  ])('%s', async (_what, uncovered, expected) => {
    expect((await scan(uncovered)).outcomes).toEqual(expected);
  });
});

test('a service that fails for one system is asked about the others, also while that one is out of service', async () => {
  let now = 0;
  const { behaviour, calls, resolve } = await setUp({ gate: createGate({ now: () => now }) });
  const packages = [locked('one'), locked('two', { ecosystem: 'pypi' }), locked('three')];
  behaviour.failing.add('npm');
  const outcomes = async () => (await resolve(packages)).resolutions.map(({ outcome }) => outcome);
  for (let index = 0; index < 5; index += 1) {
    expect(await outcomes()).toEqual(['failed', 'resolved', 'failed']);
    packages[1] = locked(`two-${index}`, { ecosystem: 'pypi' });
  }
  // Three failures in a row, and no further request about npm.
  expect(calls.map(({ entries }) => entries).toSorted()).toEqual([1, 1, 1, 1, 1, 2, 2, 2]);
  const { resolutions } = await resolve(packages);
  expect(resolutions[0]?.reason).toMatch(/^insights\.purlLookupBatch for NPM is out of service/);
  behaviour.failing.clear();
  now += 60_000;
  expect(await outcomes()).toEqual(['resolved', 'resolved', 'resolved']);
});

describe('batches', () => {
  test('learn the page size, then are sent concurrently with that size, in order', async () => {
    const { behaviour, calls, resolve } = await setUp();
    behaviour.hold = untilOpen(25, 100);
    const packages = manyLocked(5000);
    const { resolutions } = await resolve(packages);
    expect(namesOf(resolutions)).toEqual(packages.map(({ name }) => name));
    expect(calls).toHaveLength(50);
    expect(calls[0]?.entries).toBe(1000);
    expect(calls.slice(1).every(({ entries, pageToken }) => entries === 100 && pageToken === undefined)).toBe(
      true,
    );
    expect(Math.max(...calls.map(({ overlap }) => overlap))).toBe(25);
  });

  test('remember the page size', async () => {
    const { calls, resolve } = await setUp();
    await resolve(manyLocked(250));
    calls.length = 0;
    await resolve(manyLocked(600).slice(250));
    expect(calls.map(({ entries }) => entries)).toEqual([100, 100, 100, 50]);
  });

  test('are large when the service accepts it', async () => {
    const { behaviour, calls, resolve } = await setUp();
    behaviour.pageSize = 5000;
    const { resolutions } = await resolve(manyLocked(6500));
    expect(resolutions.every(({ outcome }) => outcome === 'resolved')).toBe(true);
    expect(calls.map(({ entries }) => entries)).toEqual([1000, 1000, 1000, 1000, 1000, 1000, 500]);
  });

  test('follow page tokens when pages become smaller', async () => {
    const { behaviour, calls, resolve } = await setUp();
    await resolve(manyLocked(150));
    calls.length = 0;
    behaviour.pageSize = 40;
    const packages = manyLocked(250).slice(150);
    const { resolutions } = await resolve(packages);
    expect(namesOf(resolutions)).toEqual(packages.map(({ name }) => name));
    expect(calls.map(({ pageToken }) => pageToken)).toEqual([undefined, '40', '80']);
  });

  test('are bisected down to the malformed entry', async () => {
    const { behaviour, calls, resolve } = await setUp();
    behaviour.poison.add('pkg:npm/package-137@1.0.0');
    const { resolutions, retryable } = await resolve(manyLocked(400));
    const failed = resolutions.flatMap(({ outcome, reason }) => (outcome === 'resolved' ? [] : [reason]));
    expect(failed).toHaveLength(1);
    expect(failed[0]).toMatch(
      /^pkg:npm\/package-137@1\.0\.0 is refused: POST .*HTTP 400, the text "invalid request"$/,
    );
    expect(retryable).toBe(false);
    expect(calls.length).toBeLessThan(30);
  });

  test('that are all refused end after few requests', async () => {
    const { behaviour, calls, resolve } = await setUp();
    const packages = manyLocked(3000);
    for (const { purl } of packages) behaviour.poison.add(purl);
    const { resolutions } = await resolve(packages);
    for (const { outcome, reason } of resolutions) {
      expect(outcome).toBe('failed');
      expect(reason).toMatch(/HTTP 400.*: the service refuses every request; check insights\.url$/);
    }
    // Three batches, and a few halves.
    expect(calls.length).toBeLessThanOrEqual(9);
    calls.length = 0;
    await resolve(packages);
    expect(calls.length).toBe(3);
    behaviour.poison.clear();
    expect((await resolve(packages)).resolutions.every(({ outcome }) => outcome === 'resolved')).toBe(true);
  });

  test('are told apart when two of them are malformed', async () => {
    const { behaviour, resolve } = await setUp();
    for (const name of ['package-1', 'package-30']) behaviour.poison.add(`pkg:npm/${name}@1.0.0`);
    const { resolutions } = await resolve(manyLocked(40));
    const failed = resolutions.flatMap(({ outcome, reason }) => (outcome === 'resolved' ? [] : [reason]));
    expect(failed).toEqual([
      expect.stringMatching(/^pkg:npm\/package-1@/),
      expect.stringMatching(/^pkg:npm\/package-30@/),
    ]);
  });

  test('are correlated by index; normalised echoes and names of prototypes are data', async () => {
    const { behaviour, resolve } = await setUp();
    behaviour.override = (_request, response) => {
      const version = (name: string) => ({ versionKey: { system: 'PYPI', name, version: '1.0.0' } });
      const echo = { purl: 'pkg:pypi/requests@1.0.0' };
      const responses = [
        { request: echo, result: { version: version('requests') } },
        { request: { purl: 'pkg:pypi/no_Such@1.0' } },
        { request: echo, result: { version: version('__proto__') } },
        { request: echo, result: {} },
      ];
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ responses, nextPageToken: '' }));
      return true;
    };
    const names = ['Requests', 'no-such', '__proto__', 'constructor'];
    const { resolutions } = await resolve(names.map((name) => locked(name, { ecosystem: 'pypi' })));
    expect(resolutions.map(({ outcome }) => outcome)).toEqual(['resolved', 'missing', 'resolved', 'missing']);
    expect(namesOf(resolutions)).toEqual(['requests', undefined, '__proto__', undefined]);
  });

  test('are repeated by name for Go modules with capitals', async () => {
    const { behaviour, calls, resolve } = await setUp();
    const purl = 'pkg:golang/github.com/burntsushi/toml@v1.0.0';
    behaviour.missing.add(purl).add('pkg:golang/github.com/other/thing@v1.0.0');
    const { resolutions } = await resolve([
      locked('github.com/BurntSushi/toml', { ecosystem: 'golang', version: 'v1.0.0', purl }),
      locked('github.com/other/thing', { ecosystem: 'golang', version: 'v1.0.0' }),
    ]);
    expect(resolutions.map(({ outcome }) => outcome)).toEqual(['resolved', 'missing']);
    expect(resolutions[0]?.record?.versionKey.name).toBe('github.com/BurntSushi/toml');
    expect(calls.map(({ path, entries }) => [path, entries])).toEqual([
      ['/v3alpha/purlbatch', 2],
      ['/v3alpha/versionbatch', 1],
    ]);
  });

  test('ask for npm names with capitals as the registry spells them, and again by name', async () => {
    const { behaviour, calls, resolve } = await setUp();
    behaviour.missing.add('pkg:npm/jsonstream@1.3.5').add('pkg:npm/Base64@1.0.0');
    const { resolutions } = await resolve([
      locked('JSONStream', { version: '1.3.5', purl: 'pkg:npm/JSONStream@1.3.5' }),
      locked('Base64', { purl: 'pkg:npm/Base64@1.0.0' }),
    ]);
    expect(namesOf(resolutions)).toEqual(['JSONStream', 'Base64']);
    expect(calls.map(({ path, entries }) => [path, entries])).toEqual([
      ['/v3alpha/purlbatch', 2],
      ['/v3alpha/versionbatch', 1],
    ]);
  });

  test('do not take an npm package for one whose name differs in case', async () => {
    const { behaviour, resolve } = await setUp();
    behaviour.override = (_request, response) => {
      const result = { version: { versionKey: { system: 'NPM', name: 'jsonstream', version: '1.0.3' } } };
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({
          responses: [{ request: { purl: 'pkg:npm/JSONStream@1.0.3' }, result }],
          nextPageToken: '',
        }),
      );
      return true;
    };
    const { resolutions } = await resolve([
      locked('JSONStream', { version: '1.0.3', purl: 'pkg:npm/jsonstream@1.0.3' }),
    ]);
    expect(resolutions.map(({ outcome }) => outcome)).toEqual(['failed']);
  });
});

describe('failures of the service', () => {
  const answering =
    (status: number, headers: Record<string, string>, body: string): Override =>
    (_request, response) => {
      response.writeHead(status, headers).end(body);
      return true;
    };
  const json = { 'content-type': 'application/json' };
  const html = { 'content-type': 'text/html' };
  const failures: [string, Override, object, RegExp][] = [
    [
      '429 for a minute',
      answering(429, { 'retry-after': '60' }, 'slow down'),
      { retryable: true, retryAfterMs: 60_000 },
      /HTTP 429, the text "slow down"/,
    ],
    [
      'an HTML page',
      answering(200, html, '<html><h1>Sign in</h1></html>'),
      { retryable: true },
      /an HTML page where a JSON object is expected/,
    ],
    ['broken JSON', answering(200, json, '{"a": ['), { retryable: true }, /a JSON object is expected/],
    [
      'JSON of another shape',
      answering(200, json, '{"responses": "none"}'),
      { retryable: false },
      /a batch of 1000 got 0 answers; \$\.responses: a list is expected, there is "none"/,
    ],
    ['too few answers', answering(200, json, '{}'), { retryable: true }, /a batch of 1000 got 0 answers/],
    [
      'a revoked key',
      answering(401, {}, 'key expired'),
      { retryable: false },
      /^POST .*HTTP 401, the text "key expired": .*refuses the credentials; check insights\.url$/,
    ],
    [
      'a missing path',
      answering(404, {}, 'not found'),
      { retryable: false },
      /^POST .*HTTP 404.* not an answer of the package-insights API; check insights\.url$/,
    ],
    [
      'another server',
      answering(404, {}, '404 page not found'),
      { retryable: false },
      /not an answer of the package-insights API; check insights\.url/,
    ],
    ['silence', () => true, { retryable: true }, /no answer in time/],
    [
      'a lost connection',
      (request) => {
        request.socket.destroy();
        return true;
      },
      { retryable: true },
      /the connection was lost/,
    ],
    [
      'an outage',
      answering(503, {}, 'service unavailable'),
      { retryable: true },
      /HTTP 503, the text "service unavailable"/,
    ],
  ];

  test.each(failures)(
    '%s fails each package, after few requests',
    async (_name, override, expected, reason) => {
      const { behaviour, calls, cache, resolve } = await setUp();
      behaviour.override = override;
      const { resolutions, ...rest } = await resolve(manyLocked(2000));
      expect(rest).toEqual(expected);
      expect(resolutions).toHaveLength(2000);
      for (const resolution of resolutions) {
        expect(resolution).toEqual({ outcome: 'failed', reason: expect.stringMatching(reason) });
      }
      expect(calls.length).toBeLessThanOrEqual(2);
      expect(cache.entries.size).toBe(0);
    },
  );

  test('an unavailable service fails each package', async () => {
    const { rootUrl, resolve, stopServer } = await setUp();
    await stopServer();
    const { resolutions, ...rest } = await resolve(manyLocked(3));
    const reason = `POST ${rootUrl}/v3alpha/purlbatch: the connection was refused`;
    expect(resolutions).toEqual(Array.from({ length: 3 }, () => ({ outcome: 'failed', reason })));
    expect(rest).toEqual({ retryable: true });
  });

  test('one invalid answer fails alone, or loses fields that no rule reads', async () => {
    const reported: string[] = [];
    const { behaviour, resolve } = await setUp({
      onContractProblem: ({ path }, subject) => reported.push(`${subject} ${path}`),
    });
    behaviour.override = (_request, response) => {
      const good = (index: number) => ({
        versionKey: { system: 'NPM', name: `package-${index}`, version: '1.0.0' },
      });
      const results = [
        { version: good(0) },
        { version: { ...good(1), licenses: 'MIT' } },
        { version: { ...good(2), advisoryKeys: { id: 'GHSA-aaaa-bbbb-cccc' } } },
        { version: { versionKey: { ...good(3).versionKey, system: 'PYPI' } } },
        { package: {} },
      ];
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ responses: results.map((result) => ({ request: {}, result })) }));
      return true;
    };
    const { resolutions, retryable } = await resolve(manyLocked(5));
    expect(resolutions.map(({ outcome }) => outcome)).toEqual([
      'resolved',
      'resolved',
      'failed',
      'failed',
      'failed',
    ]);
    expect(resolutions[1]?.record?.licenses).toEqual([]);
    expect(reported).toEqual(['pkg:npm/package-1@1.0.0 $.responses[1].result.version.licenses']);
    expect(resolutions[2]?.reason).toBe(
      'pkg:npm/package-2@1.0.0: $.responses[2].result.version.advisoryKeys: a list is expected, there is {"id":"GHSA-aaaa-bbbb-cccc"}',
    );
    expect(retryable).toBe(false);
  });

  test('one batch does not affect the others, and the next attempt requests only failed packages', async () => {
    let now = 0;
    const { behaviour, calls, resolve } = await setUp({
      concurrency: 1,
      gate: createGate({ now: () => now }),
    });
    await resolve(manyLocked(101));
    let count = 0;
    behaviour.override = (_request, response) => {
      count += 1;
      if (count < 3) return false;
      response.writeHead(429, { 'retry-after': '60' }).end();
      return true;
    };
    const packages = manyLocked(1101).slice(101);
    const first = await resolve(packages);
    expect(first.resolutions.filter(({ outcome }) => outcome === 'resolved')).toHaveLength(200);
    expect(first).toMatchObject({ retryable: true, retryAfterMs: 60_000 });
    delete behaviour.override;
    calls.length = 0;
    // Until the requested time, nothing is asked.
    expect(await resolve(packages)).toMatchObject({ retryable: true, retryAfterMs: 60_000 });
    expect(calls).toEqual([]);
    now += 60_000;
    const second = await resolve(packages);
    expect(second.resolutions.every(({ outcome }) => outcome === 'resolved')).toBe(true);
    expect(calls).toHaveLength(8);
  });
});

describe('cache and concurrent calls', () => {
  test('records and misses have different times to live', async () => {
    const { behaviour, calls, cache, resolve } = await setUp();
    behaviour.missing.add('pkg:npm/package-1@1.0.0');
    const first = await resolve(manyLocked(2));
    const second = await resolve(manyLocked(2));
    expect(second).toEqual(first);
    expect(calls).toHaveLength(1);
    expect([...cache.entries.values()].map(({ ttlMs }) => ttlMs)).toEqual([1000, 10]);
  });

  test('a cache that fails costs time only', async () => {
    const cache = createMemoryCache();
    cache.state.failing = true;
    const { resolve } = await setUp({ cache });
    const { resolutions } = await resolve(manyLocked(2));
    expect(resolutions.map(({ outcome }) => outcome)).toEqual(['resolved', 'resolved']);
  });

  test('two concurrent resolves send one request', async () => {
    const { behaviour, calls, resolve } = await setUp();
    behaviour.latencyMs = 30;
    const [one, two] = await Promise.all([resolve(manyLocked(60)), resolve(manyLocked(80))]);
    expect(two.resolutions.slice(0, 60)).toEqual(one.resolutions);
    expect(two.resolutions.every(({ outcome }) => outcome === 'resolved')).toBe(true);
    expect(calls.map(({ entries }) => entries)).toEqual([60, 20]);
  });

  test('an aborted resolve does not affect others', async () => {
    const { behaviour, resolve } = await setUp();
    behaviour.latencyMs = 60;
    const aborted = expect(resolve(manyLocked(10), AbortSignal.timeout(20))).rejects.toThrow();
    const { resolutions } = await resolve(manyLocked(10));
    await aborted;
    expect(resolutions.every(({ outcome }) => outcome === 'resolved')).toBe(true);
  });

  test('progress ends with every package accounted for', async () => {
    const { insights } = await setUp();
    const seen: [number, number][] = [];
    const packages = [...manyLocked(300), locked('package-1'), locked('x', { version: '' })];
    await insights.resolve(packages, {
      signal: new AbortController().signal,
      progress: (done, total) => seen.push([done, total]),
    });
    expect(seen[0]).toEqual([1, 302]);
    expect(seen.at(-1)).toEqual([302, 302]);
    expect(seen.map(([done]) => done)).toEqual(seen.map(([done]) => done).toSorted((a, b) => a - b));
  });
});

test('an answer that cannot be stored is an error of the call alone, also while others are awaited', async () => {
  const add = async () => {
    throw new Error('Redis has no memory left');
  };
  const seen = { has: async (keys: readonly string[]) => keys.map(() => false), add };
  const { resolve } = await setUp({ seen });
  const unhandled = await unhandledDuring(() =>
    expect(resolve(manyLocked(450))).rejects.toThrow('no memory left'),
  );
  expect(unhandled).toEqual([]);
});
