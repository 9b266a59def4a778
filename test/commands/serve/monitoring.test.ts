import { afterAll, beforeAll, expect, it } from 'vitest';
import { administerTokens } from '../../../src/commands/tokens.ts';
import { createApiTokenStore } from '../../../src/store/api-tokens.ts';
import { openServeRoom } from './serve-room.ts';

let room: Awaited<ReturnType<typeof openServeRoom>>;
beforeAll(async () => {
  room = await openServeRoom();
});
afterAll(() => room.close());

it('metrics and the verdict are for callers who see every target, the state of the process for everybody', async () => {
  const keys = room.fleets[0]?.keys;
  if (keys === undefined) throw new RangeError('a room has a fleet');
  const tokens = administerTokens(createApiTokenStore(room.redis, keys));
  const all = await tokens.create({ name: 'prometheus', role: 'read' });
  const some = await tokens.create({ name: 'team', role: 'admin', targets: ['a/*'] });
  const api = await room.serve({}, all.token);
  const get = (path: string, token?: string) =>
    api.request(path, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } });
  expect((await get('/healthz')).json).toEqual({ status: 'ok' });
  for (const path of ['/metrics', '/health', '/api/v1/health']) {
    expect((await get(path)).status).toBe(401);
    expect((await get(path, some.token)).status).toBe(403);
  }
  const metrics = await get('/metrics', all.token);
  expect(metrics.headers.get('content-type')).toContain('text/plain; version=0.0.4');
  expect(metrics.text).toContain('\nlockhound_redis_up 1\n');
  for (const path of ['/health', '/api/v1/health']) {
    const verdict = await get(path, all.token);
    expect(verdict.json).toMatchObject({ grade: expect.stringMatching(/^(?:good|attention|bad)$/) });
    expect(verdict.json.parts[0]).toMatchObject({ part: 'flow', says: 'no worker runs' });
  }
});
