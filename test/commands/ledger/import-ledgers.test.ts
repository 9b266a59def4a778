import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { run } from '../../../src/cli/program/program.ts';
import { LedgerError } from '../../../src/commands/errors.ts';
import { importHistory } from '../../../src/commands/ledger/import-history.ts';
import { importEach } from '../../../src/commands/ledger/import-ledgers.ts';
import { openFleetStore } from '../../../src/compose/fleet-store.ts';
import { repositoryAccess } from '../../../src/compose/worker/watch.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { closing } from '../../../src/model/closing.ts';
import type { Schedule } from '../../../src/model/watch/schedule.ts';
import type { TargetSource } from '../../../src/model/watch/source.ts';
import { SourceError } from '../../../src/sources/errors.ts';
import { blobSizes } from '../../../src/sources/git/objects.ts';
import { withHistory } from '../../../src/sources/git/read-repository.ts';
import { createLedger } from '../../../src/store/fleet/ledger.ts';
import { createScheduleStore } from '../../../src/store/schedules.ts';
import { type Fleet, openFleetCli } from '../../cli/fleet/fleet-cli.ts';
import { lockhound } from '../../cli/lockhound.ts';
import { type GitServer, git, openRepositories, serveRepositories } from '../../sources/repositories.ts';
import { npmFile } from '../../store/fleet/fleet-room.ts';
import { until } from '../../until.ts';

const repositories = openRepositories();
const work = join(repositories.root, 'work');
const config = join(repositories.root, 'lockhound.yaml');
const path = process.env['PATH'];
let cli: Awaited<ReturnType<typeof openFleetCli>>;
let fleet: Fleet;
let server: GitServer;

beforeAll(async () => {
  cli = await openFleetCli();
  fleet = await cli.fresh();
  server = await serveRepositories(repositories.root, { token: 'secret-33' });
  vi.stubEnv('GIT_TOKEN', 'secret-33');
  mkdirSync(work);
  const settings = {
    watch: { allowAddresses: ['127.0.0.1'], folder: work },
    ledger: { keep: '36500d' },
    credentials: { host: { hosts: [new URL(server.url).host], secret: { env: 'GIT_TOKEN' } } },
  };
  writeFileSync(config, JSON.stringify(settings));
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await server.close();
  await cli.close();
  repositories.close();
});

function npmLock(version: string): string {
  const packages = { '': { dependencies: { a: version } }, 'node_modules/a': { version } };
  return JSON.stringify({ lockfileVersion: 3, packages });
}

async function scanned(...targets: readonly string[]): Promise<void> {
  for (const target of targets)
    await fleet.save(target, [npmFile('x', [])], { ledger: { requestedAt: '2100-01-01T00:00:00Z' } });
}

/** The commits of the imported entries with the lockfiles that they changed. */
async function imported(target: string): Promise<readonly string[]> {
  const entries = await createLedger(fleet.redis, fleet.keys).read(target);
  return entries.flatMap(({ scan, commit, files = [] }) =>
    scan.startsWith('import.') ? `${commit} ${files.map(({ path }) => path).join(' ')}` : [],
  );
}

async function importing(...args: readonly string[]) {
  const { code, out, note } = await lockhound(['ledger', 'import', ...args, '--config', config, '--json']);
  expect(out + note).not.toContain('secret-33');
  return { code, note, result: out === '' ? undefined : JSON.parse(out) };
}

it('imports the repositories of a schedule as the schedule reads them', async () => {
  const shop = repositories.create('shop');
  const [first, second, third] = shop.build([
    {
      branch: 'main',
      files: { 'package-lock.json': npmLock('1.0.0'), 'old/package-lock.json': npmLock('1.0.0') },
    },
    { branch: 'main', parents: [0], files: { 'old/package-lock.json': npmLock('2.0.0') } },
    { branch: 'main', parents: [1], files: { 'package-lock.json': npmLock('2.0.0') } },
    { branch: 'release', parents: [1], files: { 'package-lock.json': npmLock('3.0.0') } },
  ]);
  const schedules = createScheduleStore(fleet.redis, fleet.keys);
  const schedule = async (name: string, watched: Readonly<Record<string, TargetSource>>, isRead = true) => {
    const source: Schedule['source'] = { kind: 'path', paths: ['/srv'], targets: 'all', exclude: [] };
    const state = { labels: {}, jitterMs: 0, origin: 'command', paused: false } as const;
    await schedules.put({ name, source, times: { everyMs: 1_000 }, ...state });
    for (const [id, own] of Object.entries(watched)) {
      const at = '2026-01-01T00:00:00Z';
      const known = { source: own, definition: 'd', run: 'r', due: at, at, ending: 'scanned' } as const;
      const entry = { ...known, target: { id, labels: {} }, ...(isRead ? { readAt: at } : {}) };
      await schedules.update({
        kind: 'reading',
        schedule: name,
        run: 'r',
        target: id,
        ending: 'scanned',
        at,
        entry,
      });
    }
  };
  const source = (name: string, ref = 'main', exclude: readonly string[] = []): TargetSource => ({
    kind: 'git',
    repository: `${server.url}/${name}/.git`,
    ref,
    credentials: 'host',
    exclude: [...exclude],
  });
  await schedule('shops', {
    away: source('away'),
    folder: { kind: 'path', path: '/srv', exclude: [] },
    fresh: source('shop'),
    shop: source('shop', 'main', ['old/']),
    'shop@release': source('shop', 'release'),
  });
  await schedule('taken', { other: source('shop') }, false);
  await scanned('away', 'folder', 'shop', 'shop@release', 'other');
  const { code, result } = await importing('--schedule', 'shops');
  expect([code, result]).toEqual([
    2,
    {
      imported: [
        { target: 'shop', commits: 3, entries: 2, read: 3, from: expect.any(String) },
        { target: 'shop@release', commits: 3, entries: 3, read: 3, from: expect.any(String) },
      ],
      unscanned: ['fresh'],
      failed: [{ target: 'away', reason: expect.stringContaining('/away') }],
    },
  ]);
  expect(await imported('shop')).toEqual([`${first} package-lock.json`, `${third} package-lock.json`]);
  expect((await imported('shop@release')).slice(0, 2)).toEqual([
    `${first} old/package-lock.json package-lock.json`,
    `${second} old/package-lock.json`,
  ]);
  expect(readdirSync(work)).toEqual([]);
  // All schedules; a target that none of them has read belongs to others.
  const again = await importing('--schedule');
  expect(again.result.imported).toMatchObject([{ read: 1 }, { read: 1 }]);
  expect(await imported('other')).toEqual([]);
  expect(await importing('--schedule', 'none')).toMatchObject({
    code: 2,
    note: expect.stringContaining('there is no schedule none'),
  });
  await schedules.put({ ...((await schedules.find('shops')) as Schedule), removed: true });
  expect((await importing('--schedule', 'shops')).code).toBe(2);
});

it('downloads lockfiles and their companions, and no other contents', async () => {
  const origin = repositories.create('partial');
  origin.build([
    {
      branch: 'main',
      files: { 'requirements.txt': '-r more/base.list\n', 'more/base.list': 'b==1\n', large: 'x' },
    },
    {
      branch: 'main',
      parents: [0],
      files: { 'more/base.list': 'b==2\n', 'package-lock.json': npmLock('1.0.0') },
    },
  ]);
  await scanned('partial');
  const source = {
    kind: 'git',
    repository: `${server.url}/partial/.git`,
    ref: 'main',
    credentials: 'host',
    exclude: [],
  } as const;
  const loaded = loadConfig({ file: config });
  const { signal } = new AbortController();
  const access = { ...repositoryAccess(loaded), signal };
  await closing(openFleetStore(loaded), async (stores) => {
    await withHistory(source, access, async (received, tip) => {
      const result = await importHistory(stores.of('partial'), received, { target: 'partial', tip });
      expect(result).toMatchObject({ entries: 2, read: 2 });
      const oidOf = (path: string) => git(origin.folder, 'rev-parse', `main:${path}`);
      const [large, ...others] = ['large', 'requirements.txt', 'more/base.list', 'package-lock.json'].map(
        oidOf,
      );
      expect([...(await blobSizes(received, [large ?? '', ...others])).keys()]).toEqual(others);
    });
  });
  expect(await imported('partial')).toEqual([
    expect.stringMatching(/ requirements.txt$/),
    expect.stringMatching(/ package-lock.json requirements.txt$/),
  ]);
});

it('imports each branch of a repository to a target of its own', async () => {
  const origin = repositories.create('origin');
  const [, second, third] = origin.build([
    { branch: 'main', files: { 'package-lock.json': npmLock('1.0.0') } },
    { branch: 'main', parents: [0], files: { 'package-lock.json': npmLock('2.0.0') } },
    { branch: 'topic/a', parents: [0], files: { 'package-lock.json': npmLock('3.0.0') } },
    { branch: 'topic/b', parents: [0], files: { 'package-lock.json': npmLock('4.0.0') } },
  ]);
  const clone = join(repositories.root, 'clone');
  git(repositories.root, 'clone', '--quiet', origin.folder, clone);
  await scanned('t@main', 't@topic/a', 't@HEAD');
  const all = ['--all-branches', '--target', 't@$BRANCH'];
  const { code, result } = await importing(clone, ...all);
  expect([code, result]).toEqual([
    0,
    {
      imported: [
        { target: 't@main', commits: 2, entries: 2, read: 2, from: expect.any(String) },
        { target: 't@topic/a', commits: 2, entries: 2, read: 2, from: expect.any(String) },
      ],
      unscanned: ['t@topic/b'],
      failed: [],
    },
  ]);
  expect((await imported('t@main')).at(-1)).toContain(second);
  expect((await imported('t@topic/a')).at(-1)).toContain(third);
  // The ledger of a branch that is deleted stays.
  git(clone, 'update-ref', '-d', 'refs/remotes/origin/topic/a');
  expect((await importing(clone, ...all)).result.imported).toMatchObject([{ target: 't@main', read: 1 }]);
  expect(await imported('t@topic/a')).toHaveLength(2);
  const notes: string[] = [];
  const shown = { colour: false, interactive: true, width: 100, noteWidth: 100 };
  const args = ['ledger', 'import', clone, ...all, '--config', config];
  await run(args, { ...shown, out: () => {}, note: (text) => void notes.push(text) });
  expect(notes.join('')).toContain('importing targets 0/2');
});

it.each(['is copied before it has the history', 'is in its new shard'])(
  'says that the number of shards is being changed when a target %s',
  async (state) => {
    const origin = repositories.create(`moving ${state}`);
    origin.build([{ branch: 'main', files: { 'package-lock.json': npmLock('1.0.0') } }]);
    await scanned('moving');
    // The move begins while git reads the history.
    const [bin, begun, go] = ['bin', 'begun', 'go'].map((name) => join(origin.folder, name)) as [
      string,
      string,
      string,
    ];
    mkdirSync(bin);
    const wait = `: >'${begun}'; while [ ! -e '${go}' ]; do sleep 0.02; done`;
    const script = `#!/bin/sh\nPATH=\${PATH#*:}\ncase "$*" in *rev-list*) ${wait};; esac\nexec git "$@"\n`;
    writeFileSync(join(bin, 'git'), script, { mode: 0o755 });
    vi.stubEnv('PATH', `${bin}:${process.env['PATH']}`);
    const running = importing(origin.folder, '--target', 'moving').finally(() => vi.stubEnv('PATH', path));
    await until('git reads', () => existsSync(begun));
    const { shardLayout, ledger, target } = fleet.keys;
    await fleet.redis.set(shardLayout, '{"shards":1,"move":{"from":1,"to":2},"version":1}');
    if (state.includes('new')) await fleet.redis.del(ledger('moving'), target('moving'));
    writeFileSync(go, '');
    const { code, note } = await running;
    await fleet.redis.del(shardLayout);
    expect([code, note]).toEqual([2, expect.stringContaining('number of shards is being changed')]);
  },
);

it.each([
  [[]],
  [['.']],
  [['.', '--schedule', 'a', '--target', 't']],
  [['--schedule', 'a', '--target', 't']],
  [['.', '--all-branches', '--target', 't']],
  [['.', '--all-branches', '--target', 't@$BRANCH', '--ref', 'main']],
])('refuses %j', async (args) => {
  expect((await lockhound(['ledger', 'import', ...args])).code).toBe(2);
});

it('takes two repositories at once, never more, and a slow or broken one stops no other', async () => {
  const running = new Set<string>();
  const atOnce: number[] = [];
  const last = Promise.withResolvers<void>();
  const work = (target: string, end: () => Promise<unknown>) => ({
    target,
    async run() {
      running.add(target);
      atOnce.push(running.size);
      await end().finally(() => running.delete(target));
      return { target, commits: 1, entries: 1, read: 1 };
    },
  });
  const failing = (error: Error) => async () => {
    throw error;
  };
  const works = [
    work('slow', () => last.promise),
    work('a', async () => {}),
    work('broken', failing(new SourceError('failed', 'it is broken'))),
    work('new', failing(new LedgerError('target-unknown', 'scan it first'))),
    work('b', async () => last.resolve()),
  ];
  const { signal } = new AbortController();
  const counts: number[] = [];
  const onTarget = (done: number) => void counts.push(done);
  await closing(openFleetStore(loadConfig({ file: config })), async (store) => {
    expect(await importEach(store, works, { signal, onTarget })).toEqual({
      imported: ['slow', 'a', 'b'].map((target) => ({ target, commits: 1, entries: 1, read: 1 })),
      unscanned: ['new'],
      failed: [{ target: 'broken', reason: 'it is broken' }],
    });
    expect([Math.max(...atOnce), counts]).toEqual([2, [0, 0, 1, 2, 3]]);
    // A fault of the program ends all: the one that runs ends first, and no other begins.
    const fault = new TypeError('own fault');
    const begun: string[] = [];
    const other = work('other', async () => void begun.push('other ended'));
    const late = work('late', async () => void begun.push('late'));
    await expect(importEach(store, [work('fault', failing(fault)), other, late], { signal })).rejects.toBe(
      fault,
    );
    expect(begun).toEqual(['other ended']);
  });
});
