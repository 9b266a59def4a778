import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HAS_REDIS, startNativeRedis } from '../native-redis.ts';
import { openRepositories, type Repositories, serveRepositories } from '../sources/repositories.ts';
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

  beforeAll(async () => {
    const options = ['--appendonly', 'yes', '--appendfsync', 'always'];
    world = await createWorld(HAS_REDIS ? await startNativeRedis(...options) : undefined);
    repositories = openRepositories();
  });

  afterAll(async () => {
    await world?.close();
    repositories?.close();
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
    const scanned = (await scansOf(room, 'shop')).length;
    shop.commit({ 'package-lock.json': LOCKFILE });
    await expect.poll(() => eventsOf(world, 'two-repositories').length).toBe(1);
    // Later runs repeat nothing.
    await expect.poll(async () => (await scansOf(room, 'shop')).length).toBeGreaterThan(scanned + 3);
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
    // A run that is due while the one before still reads is skipped.
    const runs = await room.store.schedules.runs('acme');
    const [, ended] = runs.filter(({ state }) => state === 'started');
    expect(ended).toMatchObject({ targets: 2, endings: { unchanged: 2 } });
  });

  it('a source that disappears is one alert after a time, and its return one resolution; others go on', async () => {
    repositories.create('gone/one', { 'package-lock.json': LOCKFILE });
    const two = repositories.create('gone/two', { 'package-lock.json': SOUND });
    repositories.create('gone/never', { 'README.md': 'no lockfile' });
    const folder = (name: string) => join(repositories.root, 'gone', name);
    const source = { kind: 'git', repositories: ['one', 'two', 'never'].map(folder) };
    const room = await world.room('gone', ['firstScan: all'], {
      config: [
        ...schedules({ name: 'gone', source, target: '$NAME', every: '2s' }),
        'watch: { unwatchedAfter: 2s, every: 0s, young: 0s }',
      ],
    });
    room.work();
    const changed = (target: string, rule: string) =>
      linesOf(world, 'gone')
        .filter((line) => line.startsWith(`${target}: `) && line.endsWith(` ${rule}`))
        .map((line) => line.split(' ')[1]);
    await expect.poll(() => changed('one', 'vulnerability').length).toBeGreaterThan(0);
    const before = changed('one', 'vulnerability');
    rmSync(folder('one'), { recursive: true });
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
    two.commit({ 'package-lock.json': LOCKFILE });
    await expect.poll(() => changed('two', 'vulnerability').length).toBeGreaterThan(0);
    // Longer than the time after which it was an alert: it is sent once.
    await sleep(4_000);
    expect(changed('one', 'unwatched')).toEqual(['opened']);
    repositories.create('gone/one', { 'package-lock.json': LOCKFILE });
    await expect.poll(() => changed('one', 'unwatched')).toEqual(['opened', 'resolved']);
    await sleep(3_000);
    expect(changed('one', 'vulnerability')).toEqual(before);
    expect(changed('never', 'unwatched')).toEqual(['opened']);
    repositories.create('gone/never').commit({ 'package-lock.json': LOCKFILE });
    await expect.poll(() => changed('never', 'unwatched')).toEqual(['opened', 'resolved']);
    await expect.poll(() => changed('never', 'vulnerability').length).toBe(before.length);
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
