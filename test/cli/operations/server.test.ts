import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Queue } from 'bullmq';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { openFleetStore } from '../../../src/compose/fleet-store.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { createKeys } from '../../../src/store/keys.ts';
import { openServeRoom } from '../../server/serve/serve-room.ts';
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
    expect([code, out]).toEqual([0, expect.stringMatching(/^target +web\/blog\nlockfiles +0\n/)]);
    const left = JSON.parse((await ask('all', 'targets', '--json')).out);
    expect(left.total).toBe(2);
  });
});

describe('a command that administers, or scans, on a server', () => {
  const source = { kind: 'git', repository: '/srv/a.git', ref: 'HEAD', exclude: [] } as const;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cli-server-'));
    const store = await openFleetStore(loadConfig({ environment: room.environment }));
    const at = '2026-01-01T00:00:00.000Z';
    const issues = [{ path: '$', reason: 'wrong' }];
    await store.shards[0]?.rejected.add({ job: 'ingest-lockfiles', id: 'j1', at, issues, data: '{"a":1}' });
    await store.close();
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function waiting(name: string): Promise<readonly unknown[]> {
    const queue = new Queue(name, { connection: room.redis, prefix: createKeys().prefix });
    const jobs = await queue.getJobs(['waiting', 'prioritized']);
    await queue.close();
    return jobs.map(({ data }) => data.payload);
  }

  it.each([
    [['tokens']],
    [['schedules']],
    [['deliveries']],
    [['scans']],
    [['ignore']],
    [['rejected']],
    [['rejected', 'get', 'ingest-lockfiles', 'j1', '--format', 'data']],
    [['schedules', 'get', 'none']],
    [['deliveries', 'retry', 'msg_1']],
    [['deliveries', 'resume', 'default']],
  ])('prints what it prints over Redis: %j', async (args) => {
    const asked = await ask('all', ...args);
    vi.stubEnv('REDIS_URL', room.url);
    expect(asked).toEqual(await lockhound(args));
    expect(asked.out + asked.note).not.toBe('');
    // What is about no single target needs a token for all of them.
    if (args[0] === 'tokens' || args[0] === 'rejected') expect((await ask('team', ...args)).code).toBe(2);
  });

  it('forgets a target of a schedule, whose finding a worker then resolves', async () => {
    const added = await ask('all', 'schedules', 'add', 'nightly', '--git', '/srv/a.git', '--every', '6h');
    expect(added).toMatchObject({ code: 0, note: '' });
    const store = await openFleetStore(loadConfig({ environment: room.environment }));
    const at = '2026-01-01T00:00:00.000Z';
    const reading = { run: '1', ending: 'failed', at } as const;
    const failing = { since: at, code: 'not-found', reason: 'there is no such repository' };
    const entry = {
      target: { id: 'gone', labels: {} },
      source,
      definition: 'd',
      due: at,
      failing,
      ...reading,
    };
    const update = { kind: 'reading', schedule: 'nightly', target: 'gone', entry, ...reading } as const;
    await store.shards[0]?.schedules.update(update);
    await store.close();
    expect((await ask('all', 'schedules', 'get', 'nightly')).out).toMatch(
      /reason +there is no such repository/,
    );
    expect(await ask('all', 'schedules', 'forget', 'nightly', 'other')).toMatchObject({
      code: 2,
      note: expect.stringContaining('schedule nightly has no target other'),
    });
    expect(await ask('all', 'schedules', 'forget', 'nightly', 'gone')).toEqual({
      code: 0,
      out: 'Target gone of schedule nightly is forgotten.\n',
      note: '',
    });
    expect(await waiting('judge-source')).toEqual([
      expect.objectContaining({ schedule: 'nightly', target: { id: 'gone', labels: {} }, dropped: true }),
    ]);
  });

  it('imports a VEX document, and refuses an older version of it', async () => {
    const importVex = async (timestamp: string, product: string) => {
      const statements = [
        { vulnerability: { name: 'CVE-2026-1' }, products: [{ '@id': product }], status: 'fixed' },
      ];
      const head = { '@context': 'https://openvex.dev/ns/v0.2.0', '@id': 'doc', author: 'web', timestamp };
      const document = join(folder, 'vex.json');
      await writeFile(document, JSON.stringify({ ...head, statements }));
      return await ask('all', 'ignore', 'import', document, '--json');
    };
    const first = await importVex('2026-02-01T00:00:00Z', 'pkg:npm/ms');
    expect([first.code, JSON.parse(first.out).documents]).toEqual([
      0,
      [expect.objectContaining({ id: 'doc', applied: 1, overruling: 0, removed: 0, notApplied: [] })],
    ]);
    const listed = JSON.parse((await ask('all', 'ignore', '--json')).out).suppressions;
    expect(listed).toMatchObject([
      { id: 'vex doc #0 0', advisories: ['CVE-2026-1'], package: { name: 'ms' } },
    ]);
    const older = await importVex('2026-01-01T00:00:00Z', 'pkg:npm/other');
    expect(older).toMatchObject({ code: 2, note: expect.stringContaining('is an older version') });
    expect(JSON.parse((await ask('all', 'ignore', '--json')).out).suppressions).toEqual(listed);
  });

  it('enqueues a scan, and says when the token may not', async () => {
    const file = join(folder, 'package-lock.json');
    await writeFile(file, '{"lockfileVersion":3,"packages":{"":{}}}');
    const { code, out } = await ask(
      'all',
      'enqueue',
      file,
      '--target',
      'bank',
      '--label',
      'team=b',
      '--json',
    );
    expect([code, JSON.parse(out).lockfiles]).toEqual([0, ['package-lock.json']]);
    const [payload] = await waiting('ingest-lockfiles');
    expect(payload).toMatchObject({
      scan: JSON.parse(out).scan,
      target: { id: 'bank', labels: { team: 'b' } },
      lockfiles: [{ path: 'package-lock.json' }],
    });
    expect(await ask('team', 'enqueue', file, '--target', 'bank')).toMatchObject({ code: 2, out: '' });
    expect(await waiting('ingest-lockfiles')).toHaveLength(1);
  });
});
