import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { randomOf } from '../seeded-random.ts';
import { openRepositories, type Repositories, serveRepositories } from '../sources/repositories.ts';
import { until } from '../until.ts';
import { LOCKFILE, SOUND } from './fixtures.ts';
import { createWorld, type Room, type WorkerProcess, type World } from './world.ts';

const random = randomOf('KILL_SEED');
/** Of the readings of two repositories, about. */
const REQUESTS = 8;
const COMMITS = Number(process.env['KILL_ROUNDS'] ?? 2);

let world: World;
let repositories: Repositories;

beforeAll(async () => {
  world = await createWorld();
  repositories = openRepositories();
});

afterAll(async () => {
  await world.close();
  repositories.close();
});

interface Event {
  readonly target: string;
  readonly changes: readonly { readonly transition: string; readonly fingerprint: string }[];
}

const eventsOf = (name: string): readonly Event[] =>
  world.services.receiver
    .deliveries()
    .filter(({ path }) => path === `/${name}`)
    .map(({ body }) => JSON.parse(body) as Event);

async function openFindings(room: Room, target: string): Promise<number> {
  const state = await room.store.targets.read(target);
  return (
    state?.findings.filter(({ status, finding }) => status === 'open' && finding.level === 'alert').length ??
    0
  );
}

it('workers killed at random moments of readings lose no change and send each once', async () => {
  const names = ['one', 'two'];
  const own = names.map((name) => repositories.create(`kill/${name}`, { 'package-lock.json': SOUND }));
  let awaited = 0;
  let strike = () => {};
  const server = await serveRepositories(repositories.root, {
    intercept() {
      awaited -= 1;
      if (awaited === 0) strike();
      return false;
    },
  });
  const source = { kind: 'git', repositories: names.map((name) => `${server.url}/kill/${name}`) };
  const room = await world.room('kill-schedules', ['firstScan: all'], {
    config: [
      `schedules: ${JSON.stringify([{ name: 'kill', source, target: '$NAME', every: '3s' }])}`,
      'watch: { allowAddresses: ["127.0.0.1"], unwatchedAfter: 1h }',
    ],
  });
  // Two workers at a time: one of them is killed.
  let workers: WorkerProcess[] = [room.startWorker(), room.startWorker()];
  for (const target of names) {
    const judged = async () => (await room.store.targets.read(target))?.revision ?? 0;
    await expect.poll(judged).toBeGreaterThan(0);
  }
  for (let commit = 0; commit < COMMITS; commit += 1) {
    const isVulnerable = commit % 2 === 0;
    for (const one of own) one.commit({ 'package-lock.json': isVulnerable ? LOCKFILE : SOUND });
    // In the middle of a reading.
    await new Promise<void>((resolve) => {
      strike = resolve;
      awaited = 1 + Math.floor(random() * REQUESTS);
    });
    const [killed, ...others] = workers;
    await killed?.kill('SIGKILL');
    // Those that are not killed any more need no process.
    workers = commit + 2 < COMMITS ? [...others, room.startWorker()] : others;
    if (commit === 0) room.work({ LOCKHOUND_WORKER_LOCK_DURATION: '6s' });
    for (const target of names) {
      await expect
        .poll(async () => (await openFindings(room, target)) > 0, { interval: 100 })
        .toBe(isVulnerable);
    }
  }
  const waiting = () => room.store.deliveries.list(['open', 'failed']).then((ids) => ids.length);
  await expect.poll(waiting).toBe(0);
  // Later runs repeat nothing.
  const [last] = await room.store.schedules.runs('kill');
  await until('two later runs have read both', async () => {
    const later = (await room.store.schedules.runs('kill')).filter(({ run }) => run > (last?.run ?? ''));
    return later.filter(({ endings: { unchanged } }) => unchanged === names.length).length >= 2;
  });
  await expect.poll(waiting).toBe(0);
  for (const target of names) {
    const events = eventsOf('kill-schedules').filter((event) => event.target === target);
    const transitions = events.map(({ changes }) =>
      [...new Set(changes.map(({ transition }) => transition))].join(),
    );
    expect(transitions, target).toEqual(
      Array.from({ length: COMMITS }, (_, commit) =>
        commit === 0 ? 'opened' : commit % 2 === 0 ? 'reopened' : 'resolved',
      ),
    );
    expect(new Set(events.map(({ changes }) => changes.length)).size, target).toBe(1);
  }
  // No run stays open, although readings were interrupted.
  await expect.poll(() => room.store.schedules.countOpen('kill'), { interval: 20 }).toBe(0);
  await server.close();
});

it('one server that never answers delays no other target of the run', async () => {
  const good = Array.from({ length: 8 }, (_, index) =>
    repositories.create(`many/r${index}`, { 'package-lock.json': index % 2 === 0 ? LOCKFILE : SOUND }),
  );
  repositories.create('many/empty', { 'README.md': 'no lockfile' });
  const held: ServerResponse[] = [];
  const hanging = await serveRepositories(repositories.root, {
    intercept: (_request, response) => held.push(response) > 0,
  });
  const source = {
    kind: 'git',
    repositories: [
      `${hanging.url}/many/hanging`,
      `${repositories.root}/many/empty`,
      `${repositories.root}/many/missing`,
      ...good.map(({ folder }) => folder),
    ],
  };
  const room = await world.room('many', [], {
    config: ['watch: { allowAddresses: ["127.0.0.1"] }'],
  });
  room.work();
  const file = source.repositories.flatMap((url) => ['--git', url]);
  const added = await room.lockhound(
    'schedules',
    'add',
    'many',
    ...file,
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
  await expect
    .poll(endings)
    .toMatchObject({ empty: 'no-lockfiles', missing: 'not-found', r0: 'scanned', r7: 'scanned' });
  await expect.poll(async () => Object.keys(await endings()).length).toBeGreaterThanOrEqual(10);
  // The run is not over: another one is skipped, and says why.
  expect((await room.lockhound('schedules', 'run', 'many')).code).toBe(0);
  await expect
    .poll(async () => (await room.store.schedules.runs('many'))[0])
    .toMatchObject({
      state: 'skipped',
      trigger: 'command',
      reason: expect.stringContaining('1 of 11 targets'),
    });
  // Nothing was typed for any of the scans.
  await expect.poll(() => eventsOf('many').length).toBe(4);
  // With its answer the source is a fault of its own, and the run ends.
  for (const response of held) response.writeHead(404).end();
  await expect.poll(endings).toMatchObject({ hanging: 'not-found' });
  await expect.poll(() => room.store.schedules.countOpen('many')).toBe(0);
  const [, run] = await room.store.schedules.runs('many');
  expect(run).toMatchObject({ targets: 11, endings: { scanned: 8, failed: 3 } });
  await hanging.close();
});
