import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ScheduleRunReport } from '../../src/model/watch/schedule.ts';
import { HAS_REDIS, startNativeRedis } from '../native-redis.ts';
import { openRepositories, type Repositories, serveRepositories } from '../sources/repositories.ts';
import { until } from '../until.ts';
import { LOCKFILE, SOUND } from './fixtures.ts';
import { createWorld, type Room, type World } from './world.ts';

interface Event {
  readonly target: string;
  readonly changes: readonly {
    readonly transition: string;
    readonly rule: string;
    readonly package: string;
  }[];
}

function eventsOf(world: World, name: string): readonly Event[] {
  return world.services.receiver
    .deliveries()
    .filter(({ path }) => path === `/${name}`)
    .map(({ body }) => JSON.parse(body) as Event);
}

/** `target: transition rule`, once for each change. */
function linesOf(world: World, name: string): readonly string[] {
  return eventsOf(world, name).flatMap(({ target, changes }) =>
    changes.map(({ transition, rule }) => `${target}: ${transition} ${rule}`),
  );
}

async function scansOf(room: Room, target: string): Promise<readonly string[]> {
  const records = await room.store.scans.list({ from: 0, count: 1_000 });
  return records
    .filter((one) => one.target === target && one.state === 'concluded')
    .map(({ unchanged }) => (unchanged === true ? 'unchanged' : 'scanned'));
}

const schedules = (...entries: readonly object[]) => [`schedules: ${JSON.stringify(entries)}`];

describe('schedules', () => {
  let world: World;
  let repositories: Repositories;
  const files = new Map<string, string>();
  let site: Awaited<ReturnType<typeof serveFiles>>;

  beforeAll(async () => {
    const options = ['--appendonly', 'yes', '--appendfsync', 'always'];
    world = await createWorld(HAS_REDIS ? await startNativeRedis(...options) : undefined);
    repositories = openRepositories();
    site = await serveFiles(files);
  });

  afterAll(async () => {
    await world?.close();
    repositories?.close();
    await site?.close();
  });

  it('two repositories are scanned, a commit with a vulnerable package is one alert, and nothing else is typed', async () => {
    const shop = repositories.create('acme/shop', { 'package-lock.json': SOUND });
    const api = repositories.create('acme/api', { 'web/package-lock.json': SOUND });
    const source = { kind: 'git', repositories: [shop.folder, api.folder] };
    const room = await world.room('two-repositories', [], {
      config: schedules({
        name: 'acme',
        source,
        target: '$NAME',
        labels: { team: 'acme' },
        every: '2s',
      }),
    });
    const worker = room.work();
    for (const target of ['shop', 'api']) {
      await expect.poll(() => scansOf(room, target)).toContain('scanned');
    }
    expect(linesOf(world, 'two-repositories')).toEqual([]);
    shop.commit({ 'package-lock.json': LOCKFILE });
    await expect.poll(() => eventsOf(world, 'two-repositories').length).toBe(1);
    // Later runs repeat nothing. One that is due while another still reads is skipped.
    const [newest] = await room.store.schedules.runs('acme');
    const isRead = ({ run, state, targets, endings }: ScheduleRunReport) =>
      run > (newest?.run ?? '') && state === 'started' && targets === 2 && endings.unchanged === 2;
    await expect.poll(async () => (await room.store.schedules.runs('acme')).some(isRead)).toBe(true);
    const [only, ...others] = eventsOf(world, 'two-repositories');
    expect(others).toEqual([]);
    expect(only?.target).toBe('shop');
    expect(new Set(only?.changes.map(({ transition }) => transition))).toEqual(new Set(['opened']));
    const state = await room.store.schedules.target('acme', 'shop');
    expect(state).toMatchObject({ ending: 'unchanged', target: { labels: { team: 'acme' } } });
    // A pause of a loaded machine may cost the lock that provisioning holds; it is repeated.
    const errors = worker
      .output()
      .split('\n')
      .filter((line) => line.includes('"level":"error"'));
    expect(errors.filter((line) => !line.includes('webhooks could not be provisioned'))).toEqual([]);
  });

  it('a source that disappears is one alert after a time, and its return one resolution; others go on', async () => {
    files.set('/gone/one', LOCKFILE).set('/gone/two', SOUND).set('/gone/never', 'no lockfile');
    const source = { kind: 'url', urls: ['one', 'two', 'never'].map((name) => `${site.url}/gone/${name}`) };
    const room = await world.room('gone', ['firstScan: all'], {
      config: [
        ...schedules({ name: 'gone', source, target: '$NAME', every: '1s' }),
        'watch: { allowAddresses: ["127.0.0.1"], unwatchedAfter: 2s, every: 0s, young: 0s }',
      ],
    });
    room.work();
    const changed = (target: string, rule: string) =>
      linesOf(world, 'gone')
        .filter((line) => line.startsWith(`${target}: `) && line.endsWith(` ${rule}`))
        .map((line) => line.split(' ')[1]);
    /** Runs that begin now repeat nothing. */
    const repeated = async () => {
      const [newest] = await room.store.schedules.runs('gone');
      await until('two later runs have read everything', async () => {
        const later = (await room.store.schedules.runs('gone')).filter(
          ({ run }) => run > (newest?.run ?? ''),
        );
        return later.filter(({ state, endings }) => state === 'started' && sum(endings) === 3).length >= 3;
      });
    };
    await expect.poll(() => changed('one', 'vulnerability').length).toBeGreaterThan(0);
    const before = changed('one', 'vulnerability');
    files.delete('/gone/one');
    // A target that was never scanned is an alert, too.
    await expect.poll(() => changed('never', 'unwatched')).toEqual(['opened']);
    await expect.poll(() => changed('one', 'unwatched')).toEqual(['opened']);
    const open = await room.store.targets.read('one');
    expect(open?.findings.filter(({ status }) => status === 'open').length).toBeGreaterThan(before.length);
    const shown = await room.lockhound('schedules', 'get', 'gone');
    const fault = (target: string, code: string) =>
      new RegExp(`^ {2}${target}\\n(?: {4}.*\\n)* {4}failing\\n {6}since .*\\n {6}code +${code}\\n`, 'm');
    expect(shown.output).toMatch(fault('one', 'not-found'));
    expect(shown.output).toMatch(fault('never', 'no-lockfiles'));
    // The others are read as before.
    files.set('/gone/two', LOCKFILE);
    await expect.poll(() => changed('two', 'vulnerability').length).toBeGreaterThan(0);
    await repeated();
    expect(changed('one', 'unwatched')).toEqual(['opened']);
    files.set('/gone/one', LOCKFILE);
    await expect.poll(() => changed('one', 'unwatched')).toEqual(['opened', 'resolved']);
    await repeated();
    expect(changed('one', 'vulnerability')).toEqual(before);
    expect(changed('never', 'unwatched')).toEqual(['opened']);
    files.set('/gone/never', LOCKFILE);
    await expect.poll(() => changed('never', 'unwatched')).toEqual(['opened', 'resolved']);
    await expect.poll(() => changed('never', 'vulnerability').length).toBe(before.length);
  });

  it('one server that never answers delays no other target of the run', async () => {
    for (const [index, content] of [LOCKFILE, SOUND, LOCKFILE, SOUND].entries())
      files.set(`/r${index}`, content);
    files.set('/empty', 'no lockfile');
    const names = ['hanging', 'empty', 'missing', 'r0', 'r1', 'r2', 'r3'];
    const room = await world.room('many', [], { config: ['watch: { allowAddresses: ["127.0.0.1"] }'] });
    room.work();
    const urls = names.flatMap((name) => ['--url', `${site.url}/${name}`]);
    const added = await room.lockhound(
      'schedules',
      'add',
      'many',
      ...urls,
      '--target',
      '$NAME',
      '--every',
      '1h',
    );
    expect(added).toMatchObject({ code: 0, output: 'Schedule many is added.\n' });
    const endings = async () => {
      const targets = await room.store.schedules.targets('many');
      return Object.fromEntries(
        targets.map(({ target, ending, failing }) => [target.id, failing?.code ?? ending]),
      );
    };
    const read = {
      empty: 'no-lockfiles',
      missing: 'not-found',
      r0: 'scanned',
      r1: 'scanned',
      r2: 'scanned',
      r3: 'scanned',
    };
    await expect.poll(endings).toEqual(read);
    // The run is not over: another one is skipped, and says why.
    expect((await room.lockhound('schedules', 'run', 'many')).code).toBe(0);
    await expect
      .poll(async () => (await room.store.schedules.runs('many'))[0])
      .toMatchObject({
        state: 'skipped',
        trigger: 'command',
        reason: expect.stringContaining('1 of 7 targets'),
      });
    // Nothing was typed for any of the scans.
    await expect.poll(() => eventsOf(world, 'many').length).toBe(2);
    // With its answer the source is a fault of its own, and the run ends.
    for (const response of site.hanging) response.writeHead(404).end();
    await expect.poll(endings).toEqual({ ...read, hanging: 'not-found' });
    await expect.poll(() => room.store.schedules.countOpen('many')).toBe(0);
    const [, run] = await room.store.schedules.runs('many');
    expect(run).toMatchObject({ targets: 7, endings: { scanned: 4, failed: 3 } });
  });

  it('a repository is read with credentials, which are in no log, no job and no key of Redis', async () => {
    const token = 'git-token-8d1f3c5a77e2';
    repositories.create('closed/shop', { 'package-lock.json': LOCKFILE });
    const server = await serveRepositories(repositories.root, { token });
    const source = { kind: 'git', repositories: `${server.url}/closed/shop`, credentials: 'main' };
    const secret = { env: 'LOCKHOUND_SECRET_GIT' };
    const room = await world.room('closed', [], {
      config: [
        ...schedules({ name: 'closed', source, target: '$NAME', every: '1s' }),
        `credentials: ${JSON.stringify({ main: { hosts: [new URL(server.url).host], secret } })}`,
        'watch: { allowAddresses: ["127.0.0.1"] }',
      ],
    });
    const wrong = room.work({ LOCKHOUND_SECRET_GIT: 'wrong-token-77e2' });
    const code = async () => (await room.store.schedules.target('closed', 'shop'))?.failing?.code;
    await expect.poll(code).toBe('refused');
    await wrong.stop();
    const worker = room.work({ LOCKHOUND_SECRET_GIT: token });
    await expect.poll(() => eventsOf(world, 'closed').length).toBe(1);
    const stored: string[] = [];
    for (const key of await room.store.redis.keys('{closed}*')) {
      stored.push(key, ((await room.store.redis.dump(key)) ?? '').toString());
    }
    expect(stored.length).toBeGreaterThan(10);
    const forms = [token, Buffer.from(`x-access-token:${token}`).toString('base64'), 'wrong-token-77e2'];
    for (const form of forms) {
      expect(stored.join('\n')).not.toContain(form);
      expect(worker.output() + wrong.output()).not.toContain(form);
    }
    await server.close();
  });
});

const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((all, count) => all + count, 0);

/** A web server with files, by path. It never answers requests for `/hanging`. */
async function serveFiles(files: ReadonlyMap<string, string>) {
  const hanging: ServerResponse[] = [];
  const server = createServer(({ url = '' }, response) => {
    const content = files.get(url);
    if (url === '/hanging') hanging.push(response);
    else response.writeHead(content === undefined ? 404 : 200).end(content);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hanging,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
