import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scanIdOf } from '../../src/model/scan/scan-id.ts';
import { createProducer } from '../../src/producer.ts';
import { createKeys } from '../../src/store/keys.ts';
import { connectRedis } from '../../src/store/redis/connection.ts';
import { type NativeCluster, SLOTS, startNativeCluster } from '../native-cluster.ts';
import { caughtUp, HAS_REDIS, type NativeRedis } from '../native-redis.ts';
import { until } from '../until.ts';
import { LOCKFILE, SOUND } from './fixtures.ts';
import { createWorld, type Room, type World } from './world.ts';

/** `CLUSTER_KILLS=1`: each node is killed, in place of one. A replica that takes over may lack writes, as docs/redis.md says. */
const STRIKES = process.env['CLUSTER_KILLS'] === '1' ? 6 : 1;

const SHARDS = 2;

describe.skipIf(!HAS_REDIS)('a Redis Cluster of three primaries with replicas', () => {
  let cluster: NativeCluster;
  let world: World;
  let room: Room;
  /** One of each shard. */
  let targets: readonly string[];
  /** The index of the primary that has the first shard. */
  let first: number;
  beforeAll(async () => {
    cluster = await startNativeCluster(3, { replicated: true });
    world = await createWorld({ url: cluster.url, close: cluster.close });
    room = await world.room('failover', [], { platform: false, shards: SHARDS });
    const names = Array.from({ length: 100 }, (_, number) => `team/target-${number}`);
    const byShard = Map.groupBy(names, (name) => room.stores.of(name).shard.index);
    first = await primaryOf(`${room.stores.shards[0]?.prefix}:key`);
    targets = Array.from({ length: SHARDS }, (_, index) => byShard.get(index)?.[0] ?? '');
  });
  afterAll(() => world?.close());

  it('has a worker that goes on in all shards after a replica took over from a primary that died', async () => {
    const worker = room.work();
    await until('the worker is ready', () => worker.output().includes('worker ready'));
    await scanAll(0);
    await until('all alerts arrive', () => alerted().length >= SHARDS);
    expect(alerted()).toEqual(targets.map((target) => scanIdOf(target, 'round-0')).toSorted());
    for (let strike = 0; strike < STRIKES; strike++) {
      const primary = cluster.primaries[(first + strike) % 3] as NativeRedis;
      const replica = cluster.replicas[(first + strike) % 3] as NativeRedis;
      const [dying, heir] = strike < 3 ? [primary, replica] : [replica, primary];
      await dying.kill();
      await until('the replica took over', () => says(heir, 'role:master'));
      await scanAll(strike + 1);
      await dying.start();
      await until('the other one is its replica', () => says(dying, 'master_link_status:up'));
    }
  });

  it('has targets that move to six shards, over all primaries, and back to one', async () => {
    for (const to of [6, 1]) {
      await until('no worker counts as running', async () => {
        const moved = await room.lockhound('shards', 'move', String(to), '--json');
        if (moved.code !== 0) expect(moved.output).toMatch(/workers? runs?/);
        return moved.code === 0;
      });
      const { redis } = room.store;
      const prefixes = Array.from(
        { length: to },
        (_, index) => createKeys('{failover}', { index, count: to }).prefix,
      );
      const owners = await Promise.all(prefixes.map((prefix) => primaryOf(`${prefix}:key`)));
      expect(new Set(owners).size).toBe(Math.min(to, cluster.primaries.length));
      const sizes = await Promise.all(prefixes.map((prefix) => redis.scard(`${prefix}:targets`)));
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(SHARDS);
    }
    room.work({ LOCKHOUND_REDIS_SHARDS: '1' });
    const target = targets[0] ?? '';
    const producer = await createProducer({ redis: cluster.url, prefix: '{failover}' });
    const lockfiles = [{ path: 'package-lock.json', content: LOCKFILE }];
    await producer.enqueue({ scan: 'after-move', target: { id: target }, lockfiles });
    await producer.close();
    await until('its alert arrives', () => alerted().includes(scanIdOf(target, 'after-move')));
    expect(alerted().filter((scan) => scan.startsWith('after-move'))).toHaveLength(1);
  });

  it('has a frozen primary, whose connections stay open: they all leave it when its replica took over, before an answer is overdue', async () => {
    // One that did not die before.
    const index = (first + 1) % 3;
    const [primary, replica] = [cluster.primaries[index], cluster.replicas[index]] as [
      NativeRedis,
      NativeRedis,
    ];
    const client = await connectRedis({ urls: cluster.url });
    if (!('nodes' in client)) throw new Error('not a client of a cluster');
    const copy = client.duplicate();
    const blocking = copy.duplicate();
    const faults: string[] = [];
    for (const one of [client, copy, blocking]) {
      one.on('error', () => {});
      one.on('node error', (error: Error) => faults.push(error.message));
    }
    const key = await keyOf(index);
    await client.set(key, 'kept');
    await caughtUp(primary, replica);
    for (const one of [copy, blocking]) expect(await one.get(key)).toBe('kept');
    const { pid } = primary;
    try {
      const waiting = blocking.blpop(`{${key}}:list`, 0);
      process.kill(pid, 'SIGSTOP');
      expect(await Promise.all([client.get(key), copy.get(key)])).toEqual(['kept', 'kept']);
      await client.rpush(`{${key}}:list`, 'pushed');
      expect(await waiting).toEqual([`{${key}}:list`, 'pushed']);
      expect(faults.filter((fault) => fault.includes('Socket timeout'))).toEqual([]);
    } finally {
      process.kill(pid, 'SIGCONT');
      for (const one of [client, copy, blocking]) one.disconnect();
    }
  });

  /** The scans of all alerts, sorted. */
  function alerted(): readonly string[] {
    const sent = world.services.receiver.deliveries().map(({ body }) => JSON.parse(body) as { scan: string });
    return sent.map(({ scan }) => scan).toSorted();
  }

  /** A key that the primary with an index had at the start. */
  async function keyOf(index: number): Promise<string> {
    for (let number = 0; ; number++) {
      if ((await primaryOf(`key-${number}`)) === index) return `key-${number}`;
    }
  }

  async function primaryOf(key: string): Promise<number> {
    return Math.floor((3 * Number(await cluster.primaries[0]?.call('CLUSTER', 'KEYSLOT', key))) / SLOTS);
  }

  async function says(node: NativeRedis, what: string): Promise<boolean> {
    return String(await node.call('INFO', 'replication')).includes(what);
  }

  /** Scans all targets, and waits for the verdicts. */
  async function scanAll(round: number): Promise<void> {
    const content = round % 2 === 0 ? LOCKFILE : SOUND;
    const lockfiles = [{ path: 'package-lock.json', content }];
    for (const target of targets)
      await room.producer.enqueue({ scan: `round-${round}`, target: { id: target }, lockfiles });
    for (const target of targets) await room.verdict(scanIdOf(target, `round-${round}`));
  }
});
