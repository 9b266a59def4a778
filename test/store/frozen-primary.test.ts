import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectRedis } from '../../src/store/redis/connection.ts';
import { type NativeCluster, startNativeCluster } from '../native-cluster.ts';
import { HAS_REDIS, type NativeRedis } from '../native-redis.ts';
import { until } from '../until.ts';

describe.skipIf(!HAS_REDIS)('a frozen primary of a Redis Cluster, whose connections stay open', () => {
  let cluster: NativeCluster;
  beforeAll(async () => {
    cluster = await startNativeCluster(3, { replicated: true });
  });
  afterAll(() => cluster?.close());

  it('is left by all connections when its replica took over, before an answer is overdue', async () => {
    const client = await connectRedis({ urls: cluster.url });
    if (!('nodes' in client)) throw new Error('not a client of a cluster');
    const copy = client.duplicate();
    const blocking = copy.duplicate();
    const faults: string[] = [];
    for (const one of [client, copy, blocking]) {
      one.on('error', () => {});
      one.on('node error', (error: Error) => faults.push(error.message));
    }
    const frozen = await pidOf(cluster.primaries[0] as NativeRedis);
    try {
      const key = await keyOfFirstPrimary(client);
      await client.set(key, 'kept');
      // A replica that has just begun to follow gets the first writes later.
      const [replica] = cluster.replicas;
      await until('the replica has the key', async () => (await replica?.call('DBSIZE')) === 1);
      for (const one of [copy, blocking]) expect(await one.get(key)).toBe('kept');
      const waiting = blocking.blpop(`{${key}}:list`, 0);
      process.kill(frozen, 'SIGSTOP');
      expect(await Promise.all([client.get(key), copy.get(key)])).toEqual(['kept', 'kept']);
      await client.rpush(`{${key}}:list`, 'pushed');
      expect(await waiting).toEqual([`{${key}}:list`, 'pushed']);
      expect(faults.filter((fault) => fault.includes('Socket timeout'))).toEqual([]);
    } finally {
      process.kill(frozen, 'SIGCONT');
      for (const one of [client, copy, blocking]) one.disconnect();
    }
  });
});

async function pidOf(node: NativeRedis): Promise<number> {
  return Number(/^process_id:(\d+)/m.exec(String(await node.call('INFO', 'server')))?.[1]);
}

/** A key whose slot the first primary of three has. */
async function keyOfFirstPrimary(client: { cluster(command: 'KEYSLOT', key: string): Promise<number> }) {
  for (let number = 0; ; number++) {
    const key = `key-${number}`;
    if ((await client.cluster('KEYSLOT', key)) < 16_384 / 3) return key;
  }
}
