import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { until } from '../../until.ts';
import { openServeRoom } from './serve-room.ts';

let room: Awaited<ReturnType<typeof openServeRoom>>;
let api: Awaited<ReturnType<typeof room.serve>>;
beforeEach(async () => {
  room = await openServeRoom();
  api = await room.serve();
});
afterEach(() => room.close());

const submit = () =>
  api.request('/api/v1/scans', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': 'k' },
    body: JSON.stringify({ target: 'a', lockfiles: [{ path: 'package-lock.json', content: '{}' }] }),
  });

it('a Redis whose memory is full refuses writes with 503, and answers reads', async () => {
  await room.redis.call('CONFIG', 'SET', 'maxmemory', '1');
  const answer = await submit();
  expect([answer.status, answer.headers.get('retry-after'), answer.json.type]).toEqual([
    503,
    '5',
    'urn:lockhound:problem:store-refuses',
  ]);
  expect((await api.request('/api/v1/findings')).status).toBe(200);
  await room.redis.call('CONFIG', 'SET', 'maxmemory', '0');
  // The request that failed may be repeated.
  expect((await submit()).status).toBe(202);
});

/** The status of answers, and the code of their problem. */
const outcome = async (path: string, init: RequestInit = {}) => {
  const signal = AbortSignal.timeout(3_000);
  const { status, headers, json } = await api.request(path, { signal, ...init });
  return [status, headers.get('retry-after'), String(json?.type).split(':').at(-1)];
};

const push = () =>
  outcome('/hooks/lab', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-gitlab-token': 's', 'x-gitlab-event': 'Push Hook' },
    body: JSON.stringify({
      object_kind: 'push',
      after: 'a1',
      ref: 'refs/heads/main',
      project: {
        git_http_url: 'https://git.example/org/shop.git',
        path_with_namespace: 'org/shop',
        default_branch: 'main',
      },
    }),
  });

const withTrigger = async (options: { readonly answerMs?: number } = {}) => {
  const file = join(await mkdtemp(join(tmpdir(), 'serve-')), 'lockhound.yaml');
  const trigger = '{ name: lab, kind: gitlab, secret: { env: HOOK_SECRET }, prefix: "lab/" }';
  await writeFile(file, `serve: { triggers: [${trigger}] }`);
  return await room.serve({ LOCKHOUND_CONFIG: file, HOOK_SECRET: 's' }, undefined, options);
};

const PATHS = ['/api/v1/session'];

/** What a scrape says about Redis, which alone knows who asks. */
const scrapedState = async (url = `${api.server.url}/metrics`) => {
  const answer = await fetch(url, { signal: AbortSignal.timeout(8_000) });
  return [answer.status, /^lockhound_redis_up (\d)$/m.exec(await answer.text())?.[1]];
};

it('a lost Redis makes no caller wait', async () => {
  api = await withTrigger();
  await room.valkey.close();
  expect((await api.request('/healthz')).status).toBe(200);
  const lost = [503, '5', 'store-unreachable'];
  await until('requests are refused', async () => {
    const [, , code] = await outcome('/api/v1/session').catch(() => []);
    return code === 'store-unreachable';
  });
  for (const path of PATHS) expect([path, ...(await outcome(path))]).toEqual([path, ...lost]);
  expect(await push()).toEqual(lost);
  expect(await scrapedState()).toEqual([200, '0']);
  await api.server.close();
});

it('a Redis that accepts connections and does not answer makes no caller wait longer than the limit', async () => {
  api = await withTrigger({ answerMs: 200 });
  process.kill(room.valkey.pid, 'SIGSTOP');
  try {
    // Those who called a moment ago are known without Redis.
    await until('requests are refused', async () => (await outcome('/api/v1/session'))[0] === 503);
    const silent = [503, '5', 'too-slow'];
    for (const path of PATHS) expect([path, ...(await outcome(path))]).toEqual([path, ...silent]);
    expect(await push()).toEqual(silent);
    expect(await scrapedState()).toEqual([200, '0']);
  } finally {
    process.kill(room.valkey.pid, 'SIGCONT');
  }
  await until('requests are answered', async () => (await outcome('/metrics'))[0] === 200);
});

it('a Redis that accepts connections and does not answer is said to be away on the health port', async () => {
  api = await room.serve({ LOCKHOUND_SERVE_HEALTH_PORT: '0' });
  const url = `${api.server.health}/metrics`;
  expect(await scrapedState(url)).toEqual([200, '1']);
  process.kill(room.valkey.pid, 'SIGSTOP');
  try {
    expect(await scrapedState(url)).toEqual([200, '0']);
    expect(await scrapedState()).toEqual([200, '0']);
    const ready = await fetch(`${api.server.health}/readyz`);
    expect([ready.status, JSON.stringify(await ready.json())]).toEqual([
      503,
      expect.stringContaining('redis'),
    ]);
  } finally {
    process.kill(room.valkey.pid, 'SIGCONT');
  }
  await until('Redis is back', async () => (await scrapedState(url))[1] === '1');
});
