import { afterAll, beforeAll, expect, it } from 'vitest';
import { runWorker } from '../../../src/compose/worker.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { startServe } from '../../../src/server/serve.ts';
import { createApiTokenStore } from '../../../src/store/api-tokens.ts';
import { until } from '../../until.ts';
import { newTokens } from './new-token.ts';
import { openServeRoom } from './serve-room.ts';

let room: Awaited<ReturnType<typeof openServeRoom>>;
beforeAll(async () => {
  room = await openServeRoom();
});
afterAll(() => room.close());

it('metrics and the verdict are for callers who see every target, the state of the process for everybody', async () => {
  const keys = room.fleets[0]?.keys;
  if (keys === undefined) throw new RangeError('a room has a fleet');
  const tokens = newTokens(createApiTokenStore(room.redis, keys));
  const all = await tokens.create({ name: 'prometheus', role: 'read' });
  const some = await tokens.create({ name: 'team', role: 'admin', targets: ['a/*'] });
  const api = await room.serve({}, all.token);
  const get = (path: string, token?: string) =>
    api.request(path, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } });
  expect((await get('/healthz')).json).toEqual({ status: 'ok' });
  expect((await get('/readyz')).json).toEqual({ status: 'ok' });
  const named = (await get('/readyz', all.token)).json.checks.map(({ name }: { name: string }) => name);
  expect(named).toEqual(['redis', 'fleet']);
  for (const path of ['/metrics', '/api/v1/health']) {
    expect((await get(path)).status).toBe(401);
    expect((await get(path, some.token)).status).toBe(403);
  }
  const metrics = await get('/metrics', all.token);
  expect(metrics.headers.get('content-type')).toContain('text/plain; version=0.0.4');
  expect(metrics.text).toContain('\nlockhound_redis_up 1\n');
  const verdict = await get('/api/v1/health', all.token);
  expect(verdict.json).toMatchObject({
    verdict: expect.stringMatching(/^(?:fine|unknown|degraded|broken)$/),
  });
  expect(verdict.json.parts[0]).toMatchObject({ part: 'flow', says: 'no worker runs' });
});

it('a worker that serves shows its jobs and its readiness on the same port', async () => {
  const environment = {
    ...room.environment,
    LOCKHOUND_REDIS_PREFIX: '{own}',
    LOCKHOUND_INSIGHTS_URL: 'http://127.0.0.1:1',
  };
  const loaded = loadConfig({ environment });
  const stop = new AbortController();
  const worker = await runWorker(loaded, { signal: stop.signal, ephemeral: false, serving: true });
  const server = await startServe(loaded, { port: 0, worker: worker.monitored });
  try {
    const get = async (path: string): Promise<string> => await (await fetch(`${server.url}${path}`)).text();
    const lockfiles = [{ path: 'package-lock.json', content: '{"lockfileVersion":3,"packages":{}}' }];
    await fetch(`${server.url}/api/v1/scans`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ target: 'a', lockfiles }),
    });
    await until('the scan is counted', async () =>
      (await get('/metrics')).includes('lockhound_jobs_total{queue="judge-scan",result="finished"} 1'),
    );
    await until('it is ready', async () => (await get('/readyz')) === '{"status":"ok"}');
  } finally {
    stop.abort();
    await server.close();
    await worker.close();
  }
});
