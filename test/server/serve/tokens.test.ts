import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config/load.ts';
import { startServe } from '../../../src/server/serve.ts';
import { createApiTokenStore } from '../../../src/store/api-tokens.ts';
import { npmFile, tracked } from '../../store/fleet/fleet-room.ts';
import { until } from '../../until.ts';
import { newTokens } from './new-token.ts';
import { openServeRoom } from './serve-room.ts';

let room: Awaited<ReturnType<typeof openServeRoom>>;
let api: Awaited<ReturnType<typeof room.serve>>;
let tokens: ReturnType<typeof newTokens>;
const created: Record<'reader' | 'team' | 'admin' | 'over', { id: string; token: string }> = {} as never;
beforeAll(async () => {
  room = await openServeRoom();
  const [fleet] = room.fleets;
  if (fleet === undefined) throw new RangeError();
  const change = { transition: 'opened', rule: 'vulnerability', level: 'alert', title: 'Wrong' } as const;
  for (const target of ['a/shop', 'b/bank']) {
    const name = target.slice(2);
    await fleet.save(target, [npmFile('package-lock.json', [`${name}@1.0.0`, 'ms@2.1.3'])], {
      findings: [tracked(target, `${name}@1.0.0`, 'high')],
      log: [{ ...change, fingerprint: 'f', severity: 'high', purl: 'pkg:npm/ms@2.1.3' }],
    });
  }
  tokens = newTokens(createApiTokenStore(room.redis, fleet.keys));
  created.reader = await tokens.create({ name: 'reader', role: 'read' });
  created.team = await tokens.create({ name: 'team', role: 'admin', targets: ['a/*'] });
  created.admin = await tokens.create({ name: 'admin', role: 'admin', expires: '90d' });
  created.over = await tokens.create({ name: 'over', role: 'admin', expires: '0s' });
  api = await room.serve({}, created.reader.token);
});
afterAll(() => room.close());

const as = (token: string): RequestInit => ({ headers: { authorization: `Bearer ${token}` } });
const get = (path: string, init?: RequestInit) => api.request(`/api/v1/${path}`, init);

describe('a token', () => {
  it('for some targets learns nothing of the past of others', async () => {
    const where = await get('packages/where?package=bank&ever=true', as(created.team.token));
    expect(where.json).toMatchObject({
      versions: [],
      targets: 0,
      periods: [],
      notKnown: 0,
      similar: [],
    });
    const shared = await get('packages/where?package=ms&ever=true', as(created.team.token));
    expect(shared.json).toMatchObject({ targets: 1, periods: [{ target: 'a/shop' }] });
    for (const path of ['history', 'blame?package=ms']) {
      const other = await get(`targets/${encodeURIComponent('b/bank')}/${path}`, as(created.team.token));
      const unknown = await get(`targets/${encodeURIComponent('b/none')}/${path}`, as(created.team.token));
      expect([other.status, unknown.status]).toEqual([404, 404]);
      const own = await get(`targets/${encodeURIComponent('a/shop')}/${path}`, as(created.team.token));
      expect(own.status).toBe(200);
    }
  });

  it('is needed as soon as there is one', async () => {
    const answer = await get('fleet');
    expect([answer.status, answer.json.type]).toEqual([401, 'urn:lockhound:problem:not-signed-in']);
    expect(answer.headers.get('www-authenticate')).toContain('Bearer');
    expect((await get('fleet', as(created.reader.token))).status).toBe(200);
  });

  it.each([
    ['nothing', () => ''],
    ['another text', () => 'secret'],
    ['an unknown id', () => `lockhound_${'0'.repeat(12)}_${created.admin.token.slice(23)}`],
    ['the secret of another token', () => created.reader.token.slice(0, 23) + created.admin.token.slice(23)],
    ['a cut secret', () => created.admin.token.slice(0, -1)],
    ['an expired one', () => created.over.token],
  ])('is refused when it is %s', async (_what, text) => {
    expect((await get('fleet', as(text()))).status).toBe(401);
  });

  it('does what its role allows', async () => {
    const body = JSON.stringify({ name: 'mine', role: 'admin' });
    const init = { method: 'POST', body, headers: { 'content-type': 'application/json' } };
    const withToken = (token: string) => ({ ...init, headers: { ...init.headers, ...as(token).headers } });
    const refused = await get('tokens', withToken(created.reader.token));
    expect([refused.status, refused.json.type]).toEqual([403, 'urn:lockhound:problem:role-missing']);
    expect((await get('rejected', as(created.reader.token))).status).toBe(403);
    expect((await get('tokens', withToken(created.team.token))).json.type).toBe(
      'urn:lockhound:problem:fleet-needed',
    );
    const own = await get('tokens', withToken(created.admin.token));
    expect(own.status).toBe(200);
    expect((await get('tokens', as(own.json.token))).json.tokens).toHaveLength(5);
    await tokens.revoke(own.json.id);
  });

  it('is accepted at once, also right after an unknown one was refused', async () => {
    const unknown = `lockhound_${'0'.repeat(12)}_${created.admin.token.slice(23)}`;
    const server = await room.serve({}, created.reader.token);
    const session = (token: string) => server.request('/api/v1/session', as(token));
    const [, own] = await Promise.all([session(unknown), tokens.create({ name: 'new', role: 'read' })]);
    expect((await session(own.token)).status).toBe(200);
    await tokens.revoke(own.id);
  });

  it('sees its targets only', async () => {
    const team = as(created.team.token);
    const text = async (path: string) => (await get(path, team)).text;
    expect((await get('findings', team)).json).toMatchObject({ total: 1, findings: [{ target: 'a/shop' }] });
    const all = (await get('findings/issues?by=package', as(created.reader.token))).json;
    const seen = (await get('findings/issues?by=package', team)).json;
    expect([all.different, seen.different, seen.total, seen.targets]).toEqual([2, 1, 1, 1]);
    expect(seen.issues).toMatchObject([{ targets: 1, named: ['a/shop'] }]);
    for (const { id, named } of all.issues) {
      const { total } = (await get(`findings?issue=${id}`, team)).json;
      expect([named, total]).toEqual([named, named.includes('a/shop') ? 1 : 0]);
    }
    expect((await get('targets', team)).json).toMatchObject({ total: 1 });
    const fleet = (await get('fleet', team)).json;
    expect(fleet).toMatchObject({ targets: 1, open: { high: 1 }, openDeliveries: 0, stoppedRoutes: [] });
    expect(fleet).not.toHaveProperty('rejected');
    expect((await get('fleet', as(created.reader.token))).json).toHaveProperty('rejected', 0);
    expect((await get('changes', team)).json.scans).toHaveLength(1);
    expect((await get('packages/where?package=ms', team)).json).toMatchObject({ targets: 1 });
    for (const path of [
      'packages/where?package=bank',
      'packages/where?package=bank%401',
      'packages/where?package=bank%409',
      'packages/where?package=an',
    ]) {
      expect(await text(path)).not.toMatch(/bank@|"bank"|b\/bank/);
    }
    for (const path of ['targets/b%2Fbank', 'targets/b%2Fbank/inventory', 'targets/b%2Fbank/findings/x']) {
      const [foreign, unknown] = [await get(path, team), await get(path.replace('bank', 'none'), team)];
      expect([path, foreign.status, unknown.status]).toEqual([path, 404, 404]);
      expect(foreign.json.detail.replace('bank', 'none')).toBe(unknown.json.detail);
    }
    // Its own unknown target has a name that resembles a foreign one.
    for (const path of ['targets/a%2Fbank', 'targets/a%2Fbank/inventory']) {
      const answer = await get(path, team);
      expect([answer.status, answer.json.detail]).toEqual([404, 'there is no target a/bank']);
    }
  });

  it('is stored as a hash, and listed without it', async () => {
    const stored: string[] = [];
    for (const key of await room.redis.keys('*')) {
      stored.push(
        key,
        JSON.stringify(await room.redis.dumpBuffer(key)),
        (await room.redis.dumpBuffer(key))?.toString() ?? '',
      );
    }
    for (const { token } of Object.values(created)) expect(stored.join('\n')).not.toContain(token.slice(23));
    const { text } = await get('tokens', as(created.admin.token));
    expect(text).not.toContain('hash');
    expect(text).toContain('usedAt');
  });

  it('is refused soon after it was revoked', async () => {
    const own = await tokens.create({ name: 'short', role: 'read' });
    await until('it is accepted', async () => (await get('fleet', as(own.token))).status === 200);
    await get(`tokens/${own.id}`, { method: 'DELETE', ...as(created.admin.token) });
    await until('it is refused', async () => (await get('fleet', as(own.token))).status === 401);
    expect((await get(`tokens/${own.id}`, { method: 'DELETE', ...as(created.admin.token) })).status).toBe(
      404,
    );
  });
});

describe('a session', () => {
  // Refused attempts are counted by server and address: those of the tests above are not counted here.
  beforeAll(async () => {
    api = await room.serve({}, created.reader.token);
  });
  const signIn = (token: string, more: Record<string, string> = {}) =>
    get('session', {
      method: 'POST',
      body: JSON.stringify({ token }),
      headers: { 'content-type': 'application/json', ...more },
    });

  it('begins with a token, lasts some hours and ends by signing out', async () => {
    const answer = await signIn(created.admin.token);
    expect(answer.json).toMatchObject({ role: 'admin', via: 'session' });
    const cookie = answer.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(
      /^lockhound-session=[\w-]{43}; Path=\/; Max-Age=28800; HttpOnly; SameSite=Strict$/,
    );
    const headers = { cookie: cookie.split(';')[0] ?? '' };
    expect((await get('session', { headers })).json.name).toContain('admin');
    const { origin } = new URL(api.server.url);
    const foreign = await get('tokens/x', {
      method: 'DELETE',
      headers: { ...headers, origin: 'https://evil.example' },
    });
    expect([foreign.status, foreign.json.type]).toEqual([403, 'urn:lockhound:problem:origin-foreign']);
    expect((await get('tokens/x', { method: 'DELETE', headers })).status).toBe(403);
    expect((await get('tokens/x', { method: 'DELETE', headers: { ...headers, origin } })).status).toBe(404);
    const out = await get('session', { method: 'DELETE', headers: { ...headers, origin } });
    expect(out.headers.get('set-cookie')).toContain('Max-Age=0');
    expect((await get('session', { headers })).status).toBe(401);
  });

  it('is refused with a wrong token, and for a foreign page', async () => {
    expect((await signIn(created.over.token)).status).toBe(401);
    expect((await signIn('x')).status).toBe(401);
    expect((await signIn(created.admin.token, { origin: 'https://evil.example' })).status).toBe(403);
    const bad = await get('session', {
      method: 'POST',
      body: '{"token":1}',
      headers: { 'content-type': 'application/json' },
    });
    expect([bad.status, bad.json.detail]).toEqual([400, expect.stringContaining('$.token has to be text')]);
  });
});

it('limits the requests of a caller', async () => {
  const slow = await room.serve({ LOCKHOUND_SERVE_REQUESTS_PER_SECOND: '3' }, created.admin.token);
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => slow.request('/api/v1/session', as(created.reader.token))),
  );
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(0);
  expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
});

it('limits attempts with wrong tokens by address', async () => {
  const own = await room.serve({}, created.reader.token);
  const answers = await Promise.all(
    Array.from({ length: 40 }, () => own.request('/api/v1/fleet', as(created.over.token))),
  );
  expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThan(0);
});

describe('a proxy', () => {
  it('names people; the header of other addresses is ignored', async () => {
    const person = { headers: { 'x-forwarded-user': 'ann', 'sec-fetch-site': 'same-origin' } };
    const start = async (address: string) => {
      const loaded = loadConfig({ environment: room.environment });
      const proxy = {
        addresses: [address],
        header: 'X-Forwarded-User',
        role: 'read' as const,
        targets: ['a/*'],
      };
      const serve = { ...loaded.config.serve, proxy };
      return await startServe({ ...loaded, config: { ...loaded.config, serve } }, { port: 0 });
    };
    const trusted = await start('127.0.0.0/8');
    const others = await start('10.0.0.0/8');
    try {
      const answer = await fetch(`${trusted.url}/api/v1/session`, person);
      expect(await answer.json()).toMatchObject({
        name: 'ann',
        via: 'proxy',
        role: 'read',
        targets: ['a/*'],
      });
      expect((await fetch(`${others.url}/api/v1/session`, person)).status).toBe(401);
    } finally {
      await trusted.close();
      await others.close();
    }
  });
});
