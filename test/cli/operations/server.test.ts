import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { openServeRoom } from '../../commands/serve/serve-room.ts';
import { tracked } from '../../store/fleet/fleet-room.ts';
import { lockhound } from '../lockhound.ts';

let room: Awaited<ReturnType<typeof openServeRoom>>;
let url: string;
const tokens = new Map<string, string>();

beforeAll(async () => {
  room = await openServeRoom();
  for (const target of ['web/shop', 'web/blog', 'bank']) {
    const findings = Array.from({ length: 400 }, (_, at) => tracked(target, `p${at}@1.0.0`, 'high'));
    await room.fleets[0]?.save(target, [], { findings });
  }
  const api = await room.serve();
  url = api.server.url;
  for (const [name, targets] of [
    ['all', ['*']],
    ['team', ['web/*']],
  ] as const) {
    const headers = { 'content-type': 'application/json', ...authorization() };
    const body = JSON.stringify({ name, role: 'admin', targets });
    const { json } = await api.request('/api/v1/tokens', { method: 'POST', headers, body });
    tokens.set(name, json.token);
  }
});
afterAll(() => room.close());
afterEach(() => {
  vi.unstubAllEnvs();
});

/** The first token is created by this machine, the others by it. */
function authorization(): Readonly<Record<string, string>> {
  const token = tokens.get('all');
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}

async function ask(token: string, ...args: readonly string[]) {
  vi.stubEnv('LOCKHOUND_TOKEN', tokens.get(token) ?? token);
  return await lockhound([...args, '--server', url]);
}

describe('a command that asks a server', () => {
  it.each([
    ['findings'],
    ['findings', '--json', '--rule', 'vulnerability', '--severity', 'high'],
    ['findings', '--limit', '700', '--format', 'ndjson'],
    ['findings', 'count', '--target', 'bank', '--json'],
    ['findings', 'get', 'bank', 'bank/p1@1.0.0/high', '--json'],
    ['findings', '--target', 'bank', '--format', 'sarif'],
    ['targets', '--json'],
    ['targets', 'get', 'web/shop'],
    ['findings', '--severity', 'none', '--target', 'none'],
    ['targets', '--order-by', 'target'],
  ])('prints what it prints over Redis: %s %s', async (...args) => {
    const asked = await ask('all', ...args);
    vi.stubEnv('REDIS_URL', room.url);
    const read = await lockhound(args);
    // Only a command of this machine compares an unknown id with all others.
    const told = ({ code, out, note }: typeof asked) => [
      code,
      out,
      note.replace(': see `lockhound targets`', ''),
    ];
    expect(told(asked)).toEqual(told(read));
    expect(read.out + read.note).not.toBe('');
  });

  it('has the rights of its token', async () => {
    const own = JSON.parse((await ask('team', 'targets', '--json')).out);
    expect(own.targets.map(({ target }: { target: string }) => target)).toEqual(['web/blog', 'web/shop']);
    const foreign = await ask('team', 'findings', '--target', 'bank');
    expect(foreign).toMatchObject({ code: 2, note: 'error: there is no target bank [target-unknown]\n' });
    const none = await ask('nonsense', 'targets');
    expect(none).toMatchObject({ code: 2, out: '' });
    expect(none.note).toMatch(/^error: .*\[[a-z-]+\]\n$/);
    expect(none.note).not.toContain('nonsense');
  });

  it('refuses what is no address, and says when nobody answers', async () => {
    const refused = await lockhound(['targets', '--server', 'https://me:secret@example.com']);
    expect(refused).toMatchObject({ code: 2, note: expect.stringContaining('without credentials') });
    expect(refused.note).not.toContain('secret');
    expect((await lockhound(['targets', '--server', 'ftp://example.com'])).code).toBe(2);
    const away = await lockhound(['targets', '--server', 'http://127.0.0.1:1']);
    expect(away).toMatchObject({ code: 2, note: expect.stringContaining('127.0.0.1:1') });
  });

  it('forgets a target there', async () => {
    const { code, out } = await ask('all', 'targets', 'forget', 'web/blog', '--yes');
    expect([code, out]).toEqual([0, expect.stringContaining('web/blog is removed')]);
    const left = JSON.parse((await ask('all', 'targets', '--json')).out);
    expect(left.total).toBe(2);
  });
});
