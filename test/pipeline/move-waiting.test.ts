import { readFile, writeFile } from 'node:fs/promises';
import { Queue } from 'bullmq';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLogger } from '../../src/compose/logger.ts';
import { openStores } from '../../src/compose/store.ts';
import { gatherDigest } from '../../src/jobs/gather-digest.ts';
import { followUp } from '../../src/jobs/job.ts';
import { INGEST_LOCKFILES } from '../../src/jobs/payloads/ingest-lockfiles.ts';
import { createKeys } from '../../src/store/keys.ts';
import { LOCKFILE } from './fixtures.ts';
import { enqueue } from './fleet.ts';
import { createWorld, type Room, type World } from './world.ts';

const TARGETS = Array.from({ length: 6 }, (_, number) => `team/target-${number}`);
const INSPECTED = ['NPM:lodash@4.17.20', 'NPM:minimist@1.2.5', 'NPM:left-pad@1.0.0'];

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

interface Sent {
  readonly target: string | null;
  readonly changes: readonly { readonly target: string | null; readonly fingerprint: string }[];
}

/** The changes that arrived at a route, by text. */
function changesAt(route: string): readonly string[] {
  return world.services.receiver
    .deliveries()
    .filter(({ path }) => path === `/${route}`)
    .map(({ body }) => JSON.parse(body) as Sent)
    .flatMap(({ target, changes }) => changes.map((one) => `${one.target ?? target} ${one.fingerprint}`))
    .sort();
}

/** What waits in all shards, and what was inspected. */
async function waitingIn(room: Room) {
  const stores = await openStores(room.load(), createLogger(room.load()));
  try {
    const found = await Promise.all(
      stores.shards.map(async ({ deliveries, digests, rejected }) => ({
        deliveries: await deliveries.findAll(await deliveries.list(['open', 'failed', 'delivered'])),
        digests: await digests.read('daily'),
        rejected: await rejected.list(),
      })),
    );
    for (const [index, { digests }] of found.entries()) {
      for (const { target } of digests) expect(stores.of(target.id)).toBe(stores.shards[index]);
    }
    return {
      deliveries: found
        .flatMap(({ deliveries }) => deliveries)
        .map(({ id, route, target, state }) => `${route} ${target} ${state} ${id}`)
        .sort(),
      digests: found
        .flatMap(({ digests }) => digests.map(({ scan, target }) => `${scan} ${target.id}`))
        .sort(),
      newest: (await stores.of(TARGETS[0] ?? '').deliveries.newestOf(TARGETS[0] ?? ''))
        .map(({ id }) => id)
        .sort(),
      rejected: found.flatMap(({ rejected }) => rejected),
      inspected: await stores.shards[0]?.inspections.isKnown(INSPECTED),
    };
  } finally {
    await stores.close();
  }
}

/** Moves the targets, and writes the new number into the configuration. */
async function move(room: Room, from: number, to: number): Promise<void> {
  const moved = await room.lockhound('shards', 'move', String(to));
  expect(moved.output).toMatch(new RegExp(`^to +${to}$`, 'm'));
  expect(moved.code).toBe(0);
  const text = await readFile(room.file, 'utf8');
  await writeFile(room.file, text.replace(`shards: ${from}`, `shards: ${to}`));
}

it('moves what waits: held and retried alerts, digests and rejected payloads, and sends each once', async () => {
  const { receiver } = world.services;
  const routes = ['gone', 'failing', 'daily'].map((name) => ({
    name,
    webhook: {
      url: `${receiver.url}/${name}`,
      ...(name === 'daily' ? { mode: 'periodic', every: '24h', reminders: false } : {}),
    },
  }));
  const room = await world.room(
    'waiting',
    [
      `routes: ${JSON.stringify(routes)}`,
      'firstScan: all',
      'retries: { attempts: 1000, firstDelay: 200ms, longestDelay: 1s }',
    ],
    { platform: false, config: ['worker: { recheck: { open: 1s, turn: 1s, held: 1s } }'] },
  );
  receiver.faults.inject({ kind: 'answer', status: 410 }, { every: 1, when: ({ url }) => url === '/gone' });
  receiver.faults.inject(
    { kind: 'answer', status: 503 },
    { every: 1, when: ({ url }) => url === '/failing' },
  );
  const queue = new Queue(INGEST_LOCKFILES.name, { connection: room.store.redis, prefix: room.store.prefix });
  await queue.add(INGEST_LOCKFILES.name, { nonsense: true });
  await queue.close();
  const first = room.work();
  for (const id of TARGETS) {
    const lockfiles = [{ path: 'package-lock.json', content: LOCKFILE }];
    await room.producer.enqueue({ target: { id }, lockfiles });
  }
  const states = async (): Promise<Readonly<Record<string, number>>> => {
    const { deliveries, digests, rejected } = await waitingIn(room);
    const count = (start: RegExp) => deliveries.filter((one) => start.test(one)).length;
    return {
      held: count(/^gone .* held /),
      retrying: count(/^failing .* retrying /),
      digests: digests.length,
      rejected: rejected.length,
    };
  };
  const all = { held: TARGETS.length, retrying: TARGETS.length, digests: TARGETS.length, rejected: 1 };
  await expect.poll(states).toEqual(all);
  await first.stop();

  // What all shards share stays.
  const shared = createKeys('{waiting}');
  for (const key of [shared.projects, shared.suppressionRevisions])
    await room.store.redis.hset(key, 'a', '{}');
  const settings = await room.store.fleet.judgedSettings();
  const routing = await room.store.fleet.judgedRouting();
  const before = await waitingIn(room);
  expect(before.inspected).toEqual([true, true, false]);
  expect(before.newest).toHaveLength(2);
  await move(room, 1, 3);
  expect(await waitingIn(room)).toEqual(before);
  receiver.faults.clear();
  const second = room.work();
  await expect.poll(() => new Set(changesAt('failing').map((one) => one.split(' ')[0])).size).toBe(6);
  expect(changesAt('gone')).toEqual([]);
  expect((await room.lockhound('deliveries', 'resume', 'gone')).output).toContain('Route gone is resumed');
  const stores = await openStores(room.load(), createLogger(room.load()));
  for (const store of stores.shards) {
    await enqueue(
      { store },
      followUp(gatherDigest, { of: 'changes', route: 'daily', window: '2026-01-31T00:00:00Z' }),
    );
  }
  await stores.close();
  const sent = () => ['failing', 'gone', 'daily'].map((route) => changesAt(route));
  const once = [...new Set(changesAt('failing'))].sort();
  await expect.poll(sent).toEqual([once, once, once]);
  const isDelivered = async () =>
    (await waitingIn(room)).deliveries.every((one) => one.includes(' delivered '));
  await expect.poll(isDelivered).toBe(true);
  await second.stop();

  const moved = await waitingIn(room);
  expect(moved).toMatchObject({ digests: [], rejected: before.rejected, inspected: before.inspected });
  await move(room, 3, 1);
  expect(await waitingIn(room)).toEqual(moved);
  // A worker may have learned of a source project meanwhile.
  for (const key of [shared.projects, shared.suppressionRevisions])
    expect(await room.store.redis.hgetall(key)).toMatchObject({ a: '{}' });
  // The workers judge all targets again. Routes that are not new announce nothing.
  expect(settings).toBeDefined();
  expect(await room.store.fleet.judgedSettings()).toBeUndefined();
  expect(await room.store.fleet.judgedRouting()).toEqual(routing);
});
