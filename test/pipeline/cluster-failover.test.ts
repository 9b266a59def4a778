import { afterAll, beforeAll, describe, it } from 'vitest';
import { scanIdOf } from '../../src/model/scan/scan-id.ts';
import { type NativeCluster, SLOTS, startNativeCluster } from '../native-cluster.ts';
import { HAS_REDIS, type NativeRedis } from '../native-redis.ts';
import { until } from '../until.ts';
import { LOCKFILE, SOUND } from './fixtures.ts';
import { createWorld, type Room, type World } from './world.ts';

/** `CLUSTER_KILLS=1`: each node is killed, in place of one. */
const STRIKES = process.env['CLUSTER_KILLS'] === '1' ? 6 : 1;

const SHARDS = 2;

describe.skipIf(!HAS_REDIS)('a worker on a Redis Cluster of three primaries with replicas', () => {
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
    const key = `${room.stores.shards[0]?.prefix}:key`;
    first = Math.floor((3 * Number(await cluster.primaries[0]?.call('CLUSTER', 'KEYSLOT', key))) / SLOTS);
    targets = Array.from({ length: SHARDS }, (_, index) => byShard.get(index)?.[0] ?? '');
  });
  afterAll(() => world?.close());

  it('goes on in all shards after a replica took over from a primary that died', async () => {
    const worker = room.work();
    await until('the worker is ready', () => worker.output().includes('worker ready'));
    await scanAll(0);
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
