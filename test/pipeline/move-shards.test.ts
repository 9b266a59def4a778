import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { Queue } from 'bullmq';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { moveShards } from '../../src/commands/shards/move-shards.ts';
import { identityOf } from '../../src/fleet/identity.ts';
import { idsOf } from '../../src/fleet/ledger/lockfile-deltas.ts';
import { createProducer } from '../../src/producer.ts';
import { type ChangeLogEntry, createChangeLog } from '../../src/store/fleet/change-log.ts';
import { createInventories } from '../../src/store/fleet/inventories.ts';
import { createLedger } from '../../src/store/fleet/ledger.ts';
import { createPackageIds } from '../../src/store/fleet/package-ids.ts';
import { createKeys, type Keys } from '../../src/store/keys.ts';
import { shardOf } from '../../src/store/shards/shard-layout.ts';
import { createTargetStore } from '../../src/store/targets.ts';
import { HAS_REDIS, startNativeRedis } from '../native-redis.ts';
import { seededRandom } from '../seeded-random.ts';
import { until } from '../until.ts';
import { LOCKFILE, SOUND } from './fixtures.ts';
import { createWorld, type Room, type World } from './world.ts';

const SEED = Number(process.env['MOVE_SEED'] ?? Math.floor(Math.random() * 1_000_000));
/** `KILL_ROUNDS`: how often each move is killed at most. */
const MAX_KILLS = Number(process.env['KILL_ROUNDS'] ?? 1);
const TARGETS = Array.from({ length: 6 }, (_, number) => `team/target-${number}`);

describe.skipIf(!HAS_REDIS)('lockhound shards move', () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld(await startNativeRedis('--appendonly', 'yes'));
  });
  afterAll(() => world?.close());

  it('moves everything, killed at any point, and loses and repeats nothing', async () => {
    process.stdout.write(`seed ${SEED}\n`);
    const random = seededRandom(SEED);
    const room = await world.room('move');
    const producer = await createProducer({ redis: world.redisUrl, prefix: '{move}' });
    await scanAll(room, 'first', LOCKFILE);
    const before = await stateOf(room, 1);
    expect(before.size).toBe(TARGETS.length);
    // What is about no shard stays.
    const shared = createKeys('{move}');
    await room.store.redis.hset(shared.apiTokens, 'ci', '{}');
    await room.store.redis.hset(shared.dayCounts, '2026-01-31', '{}');
    let count = 1;
    for (const next of [3, 1]) {
      // Scans that no worker has seen: every second target is repaired, and then vulnerable again.
      const content = next === 3 ? SOUND : LOCKFILE;
      const waiting = TARGETS.filter((_, index) => index % 2 === 0);
      const environment = { LOCKHOUND_REDIS_SHARDS: String(next) };
      for (const target of waiting) {
        const lockfiles = [{ path: 'package-lock.json', content }];
        await producer.enqueue({ scan: scanId(`to${next}`, target), target: { id: target }, lockfiles });
      }
      const state = await stateOf(room, count);
      const kills = await moveWithKills(room, next, random);
      process.stdout.write(`${count} → ${next} shards, killed ${kills} times\n`);
      expect(await stateOf(room, next)).toEqual(state);
      const known = alerts().length;
      const worker = room.work(environment);
      await until('the waiting scans alert', () => alerts().length >= known + waiting.length);
      await until('no job is open', () => isIdle(room, next));
      await worker.stop();
      expect(alerts().slice(known).toSorted()).toEqual(
        waiting.map((target) => `${target} ${content === SOUND ? 'resolved' : 'reopened'}`).toSorted(),
      );
      count = next;
    }
    await producer.close();
    // Redis has no keys of shards any longer, and all targets are complete.
    expect(await room.store.redis.keys('{move-*')).toEqual([]);
    expect(await room.store.redis.keys('move:*')).toEqual([]);
    expect((await stateOf(room, 1)).size).toBe(TARGETS.length);
    expect(await room.store.redis.hkeys(shared.apiTokens)).toEqual(['ci']);
    // The workers have counted, too.
    expect(await room.store.redis.hkeys(shared.dayCounts)).toContain('2026-01-31');
  });

  it('interrupted at each point, leaves one number complete, and ends when it is run again', async () => {
    const room = await world.room('points');
    await scanAll(room, 'points', LOCKFILE);
    const worker = room.work();
    await until('the worker runs', () => worker.output().includes('worker ready'));
    const refused = await room.lockhound('shards', 'move', '3');
    expect(refused.output).toContain(`A worker runs: ${hostname()} (process ${process.pid})`);
    expect(refused.code).toBe(2);
    await worker.stop();
    // As a producer without ids leaves it.
    const queue = new Queue('ingest-lockfiles', { connection: room.store.redis, prefix: '{points}' });
    const waiting = TARGETS.map((target) => ({ payload: { target: { id: target } } }));
    for (const data of waiting) await queue.add('ingest-lockfiles', data);
    await queue.close();
    const states = await stateOf(room, 1, '{points}');
    expect(states.size).toBe(TARGETS.length);
    for (const to of [3, 2, 1]) {
      let interruptions = 0;
      for (let isMoved = false; !isMoved; ) {
        let calls = 0;
        const onProgress = () => {
          calls += 1;
          if (calls > interruptions * 10) throw new Error('interrupted here');
        };
        const options = { to, onProgress, settleMs: 0, signal: new AbortController().signal };
        isMoved = await moveShards(room.load(), options).then(
          () => true,
          (error: Error) => {
            if (error.message !== 'interrupted here') throw error;
            return false;
          },
        );
        interruptions += 1;
        const layout = await room.stores.layouts.read();
        expect(layout?.move).toEqual(isMoved ? undefined : { from: expect.any(Number), to });
        expect(await stateOf(room, layout?.shards ?? 0, '{points}')).toEqual(states);
        expect(await waitingIn(room, layout?.shards ?? 0)).toEqual([...TARGETS].sort());
        if (to === 3 && interruptions === 3) {
          vi.stubEnv('LOCKHOUND_REDIS_SHARDS', String(layout?.shards));
          const early = await room.lockhound('worker');
          expect(early).toMatchObject({
            code: 2,
            output: expect.stringContaining(`lockhound shards move ${to}`),
          });
          vi.unstubAllEnvs();
          const health = await room.lockhound('health');
          expect(health.output).toContain('Nothing works: the number of shards is being changed');
        }
      }
      process.stdout.write(`→ ${to} shards after ${interruptions - 1} interruptions\n`);
      expect(interruptions).toBeGreaterThan(4);
    }
    expect(await room.store.redis.keys('{points-*')).toEqual([]);
    expect(await room.store.redis.keys('points:*')).toEqual([]);
  });

  it('is cancelled with the old number', async () => {
    const room = await world.room('cancelled');
    await scanAll(room, 'cancelled', LOCKFILE);
    const states = await stateOf(room, 1, '{cancelled}');
    const onProgress = (step: string) => {
      if (step.includes('outcomes')) throw new Error('interrupted here');
    };
    const options = { settleMs: 0, signal: new AbortController().signal };
    await expect(moveShards(room.load(), { ...options, to: 2, onProgress })).rejects.toThrow('here');
    expect(await room.store.redis.keys('{cancelled-2-*')).not.toEqual([]);
    await moveShards(room.load(), { ...options, to: 1, onProgress: () => {} });
    expect(await room.store.redis.keys('{cancelled-*')).toEqual([]);
    expect(await stateOf(room, 1, '{cancelled}')).toEqual(states);
    expect(await room.stores.layouts.read()).toMatchObject({ shards: 1 });
  });

  it('needs the documented rights, and says so before it begins', async () => {
    const room = await world.room('rights');
    const page = await readFile(join(import.meta.dirname, '..', '..', 'docs', 'redis.md'), 'utf8');
    const [, ...rights] = /ACL SETUSER (lockhound [^\n]+)/.exec(page)?.[1]?.split(' ') ?? [];
    const own = rights.map((one) =>
      one.replace('~lockhound:', '~rights:').replace('~{lockhound', '~{rights'),
    );
    await room.store.redis.call('ACL', 'SETUSER', 'mover', ...own);
    const mover = room.load({ REDIS_URL: world.redisUrl.replace('//', '//mover:password@') });
    const options = { to: 2, settleMs: 0, signal: new AbortController().signal, onProgress: () => {} };
    await room.store.redis.call('ACL', 'SETUSER', 'mover', '-restore');
    await expect(moveShards(mover, options)).rejects.toMatchObject({ code: 'refused' });
    expect(await room.stores.layouts.read()).toBeUndefined();
    expect(await room.store.redis.keys('{rights-*')).toEqual([]);
    await room.store.redis.call('ACL', 'SETUSER', 'mover', '+restore');
    expect(await moveShards(mover, options)).toMatchObject({ outcome: 'moved' });
  });

  const alertsAt = (path: string) =>
    world.services.receiver.deliveries().filter((delivery) => delivery.path === path);

  const alerts = (): readonly string[] =>
    alertsAt('/move')
      .map(({ body }) => JSON.parse(body) as { target: string; changes: { transition: string }[] })
      .map(({ target, changes }) => `${target} ${changes[0]?.transition}`);

  async function scanAll(room: Room, name: string, content: string): Promise<void> {
    const worker = room.work();
    for (const target of TARGETS) {
      const lockfiles = [{ path: 'package-lock.json', content }];
      await room.producer.enqueue({ scan: scanId(name, target), target: { id: target }, lockfiles });
    }
    for (const target of TARGETS) await room.verdict(scanId(name, target));
    const path = `/${room.store.prefix.slice(1, -1)}`;
    await until('all alerts arrive', () => alertsAt(path).length >= TARGETS.length);
    await until('no job is open', () => isIdle(room, 1));
    await worker.stop();
  }

  function scanId(name: string, target: string): string {
    return `${name}.${target.replace('/', '-')}`;
  }

  /** Kills the command, and runs it again to its end. Resolves to the number of kills. */
  async function moveWithKills(room: Room, to: number, random: () => number): Promise<number> {
    for (let kills = 0; kills < MAX_KILLS; kills += 1) {
      const command = room.start('shards', 'move', String(to));
      const timer = setTimeout(() => command.child.kill('SIGKILL'), 600 + random() * 4_000);
      const code = await command.ended;
      clearTimeout(timer);
      if (code === 0) return kills;
    }
    await until('the lock of the command that was killed expires', async () => {
      const { code, output } = await room.lockhound('shards', 'move', String(to));
      if (code !== 0) expect(output).toMatch(/worker runs|lock/);
      return code === 0;
    });
    return MAX_KILLS;
  }
});

/** What is stored about all targets, without the package ids of their shards. */
async function stateOf(room: Room, count: number, prefix = '{move}'): Promise<ReadonlyMap<string, unknown>> {
  const { redis } = room.store;
  const found = new Map<string, unknown>();
  for (let index = 0; index < count; index += 1) {
    const keys = createKeys(prefix, { index, count });
    const inventories = createInventories(redis, keys, createPackageIds(redis, keys));
    const logged: ChangeLogEntry[] = [];
    for await (const entry of createChangeLog(redis, keys).since(0)) logged.push(entry);
    const delivered = (await redis.zrange(keys.delivered, '0', '-1')).toSorted();
    const targets = await Promise.all(delivered.map((id) => redis.hget(keys.delivery(id), 'target')));
    const records = Object.values(await redis.hgetall(keys.scans));
    // At the same time: nearly all of the work is in waiting for Redis.
    const readTarget = async (target: string): Promise<void> => {
      expect(shardOf(target, count)).toBe(index);
      const state = await createTargetStore(redis, keys).read(target);
      const lockfiles = [];
      for (const { inventory = '', ...file } of state?.lockfiles ?? []) {
        const { packages } = await inventories.read(inventory);
        const identities = packages.map(({ locked }) => identityOf(locked));
        const facts = await redis.hmget(keys.facts('version').facts, ...identities);
        lockfiles.push({ ...file, packages, facts });
        expect(await redis.hexists(keys.inventoryUses, inventory)).toBe(1);
      }
      const scans = records.filter((text) => text.includes(`"${target}"`));
      found.set(target, {
        ...{ ...state, lockfiles },
        ledger: await ledgerOf(room, keys, target),
        changes: logged.filter((entry) => entry.target === target).map(({ scan }) => scan),
        deliveries: delivered.filter((_, at) => targets[at] === target),
        scans: scans.length,
      });
    };
    await Promise.all((await redis.smembers(keys.targets)).map(readTarget));
  }
  return found;
}

/** The entries of the ledger with the names of their packages. */
async function ledgerOf({ store: { redis } }: Room, keys: Keys, target: string) {
  const ids = createPackageIds(redis, keys);
  const namesOf = async (steps: readonly number[]) => (await ids.identities(idsOf(steps))).toSorted();
  const entries = [];
  for (const { files = [], ...entry } of await createLedger(redis, keys).read(target)) {
    const named = [];
    for (const { path, came, went } of files)
      named.push({ path, came: await namesOf(came), went: await namesOf(went) });
    entries.push({ ...entry, files: named });
  }
  return { entries, at: await redis.hget(keys.target(target), 'ledger') };
}

/** The targets of all queued scans, sorted. */
async function waitingIn(room: Room, count: number): Promise<readonly string[]> {
  const found: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const { prefix } = createKeys(room.store.prefix, { index, count });
    const queue = new Queue('ingest-lockfiles', { connection: room.store.redis, prefix });
    for (const { data } of await queue.getJobs('wait')) found.push(data.payload.target.id);
    await queue.close();
  }
  return found.sort();
}

async function isIdle(room: Room, count: number): Promise<boolean> {
  for (let index = 0; index < count; index += 1) {
    const keys = createKeys(room.store.prefix, { index, count });
    if ((await room.store.redis.hlen(keys.openJobs)) > 0) return false;
  }
  return true;
}
