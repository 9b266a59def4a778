import { afterEach, beforeEach, expect, it } from 'vitest';
import { until } from '../../store/store-room.ts';
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

it('a lost Redis makes no caller wait', async () => {
  await room.valkey.close();
  expect((await api.request('/healthz')).status).toBe(200);
  await until('requests are refused', async () => {
    const signal = AbortSignal.timeout(1_000);
    const answer = await api.request('/api/v1/session', { signal }).catch(() => undefined);
    return answer?.json.type === 'urn:lockhound:problem:store-unreachable';
  });
  const answer = await api.request('/api/v1/session');
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
  await api.server.close();
});
