import { caughtUp, startNativeRedis } from '../native-redis.ts';
import { until } from '../until.ts';
import { startTcpRelay } from './tcp-relay.ts';

/** A primary and a replica behind one address. */
export interface ReplicatedRedis {
  readonly url: string;
  /**
   * The replica takes over without what is written during an action. Connections stay with the old primary, which no longer accepts
   * writes; new ones go to the new one.
   */
  promote(during: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

const OPTIONS = ['--appendonly', 'yes', '--repl-diskless-sync-delay', '0'];

export async function startReplicatedRedis(): Promise<ReplicatedRedis> {
  const servers = await Promise.all([startNativeRedis(...OPTIONS), startNativeRedis(...OPTIONS)]);
  const [primary, replica] = servers;
  const address = await startTcpRelay(primary.port);
  const line = await startTcpRelay(primary.port);
  await replica.call('REPLICAOF', '127.0.0.1', String(line.port));
  await until('the replica follows', async () =>
    /master_link_status:up/.test(String(await replica.call('INFO', 'replication'))),
  );
  return {
    url: `redis://127.0.0.1:${address.port}`,
    async promote(during) {
      await caughtUp(primary, replica);
      line.hold();
      await during();
      await replica.call('REPLICAOF', 'NO', 'ONE');
      line.pointTo(replica.port, { cut: true });
      await primary.call('REPLICAOF', '127.0.0.1', String(line.port));
      address.pointTo(replica.port);
    },
    async close() {
      await address.close();
      await line.close();
      for (const server of servers) await server.close();
    },
  };
}
