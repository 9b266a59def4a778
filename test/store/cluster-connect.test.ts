import { once } from 'node:events';
import { Cluster } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { settleConnect } from '../../src/store/redis/clients.ts';
import { connectRedis } from '../../src/store/redis/connection.ts';
import { HAS_REDIS, type NativeRedis, startNativeRedis } from '../native-redis.ts';
import { until } from '../until.ts';

const LAST_SLOT = '16383';

describe.skipIf(!HAS_REDIS)('a connection to a Redis Cluster that is down at first', () => {
  let node: NativeRedis;
  let cluster: Cluster;
  beforeAll(async () => {
    node = await startNativeRedis(...['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1']);
    await node.call('CLUSTER', 'ADDSLOTSRANGE', '0', LAST_SLOT);
    cluster = settleConnect(
      new Cluster([{ host: '127.0.0.1', port: node.port }], {
        lazyConnect: true,
        clusterRetryStrategy: () => 20,
        redisOptions: { maxRetriesPerRequest: null },
      }),
    );
    await reaches('ok');
  });
  afterAll(async () => {
    cluster?.disconnect();
    await node?.close();
  });

  const reaches = (state: 'fail' | 'ok') =>
    until(`the cluster is ${state}`, async () =>
      String(await node.call('CLUSTER', 'INFO')).includes(`cluster_state:${state}`),
    );

  it.each([
    ['the connection itself', () => cluster],
    ['a duplicate, as BullMQ makes it', () => cluster.duplicate()],
    ['a duplicate of a duplicate', () => cluster.duplicate().duplicate()],
  ])('settles once the cluster is up: %s', async (_name, open) => {
    const client = open();
    client.on('error', () => {});
    await node.call('CLUSTER', 'DELSLOTS', LAST_SLOT);
    await reaches('fail');
    const connecting = client.connect();
    await once(client, 'reconnecting');
    await node.call('CLUSTER', 'ADDSLOTS', LAST_SLOT);
    await connecting;
    expect(await client.ping()).toBe('PONG');
    client.disconnect();
  });

  it('gets the password that its user has now', async () => {
    let password = 'old';
    await node.call('ACL', 'SETUSER', 'replaced', 'on', '>old', '~*', '&*', '+@all');
    const urls = () => [`redis://replaced:${password}@127.0.0.1:${node.port}?cluster=true`];
    const client = (await connectRedis({ urls })) as Cluster;
    const duplicate = client.duplicate();
    for (const one of [client, duplicate]) one.on('error', () => {});
    await duplicate.connect();
    await node.call('ACL', 'SETUSER', 'replaced', '>new', '<old');
    password = 'new';
    await node.call('CLIENT', 'KILL', 'USER', 'replaced');
    for (const one of [client, duplicate]) {
      await until('it is connected again', async () => (await one.ping().catch(() => '')) === 'PONG');
      one.disconnect();
    }
  });

  it('settles once a node answers that did not answer in time', async () => {
    const client = cluster.duplicate([], { slotsRefreshTimeout: 50 });
    client.on('error', () => {});
    let attempts = 0;
    client.on('reconnecting', () => (attempts += 1));
    await node.call('CLIENT', 'PAUSE', '1000', 'ALL');
    await client.connect();
    expect(attempts).toBeGreaterThan(0);
    expect(await client.ping()).toBe('PONG');
    client.disconnect();
  });

  it('fails when the connection ends', async () => {
    const client = cluster.duplicate();
    await node.call('CLUSTER', 'DELSLOTS', LAST_SLOT);
    await reaches('fail');
    const connecting = client.connect().catch((error: unknown) => error);
    await once(client, 'connect');
    client.disconnect();
    expect(String(await connecting)).toContain('Connection is closed.');
  });
});
