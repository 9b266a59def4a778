import type { Cluster } from 'ioredis';

/**
 * Makes `connect` of a client of a Redis Cluster, and of its duplicates, always end. That of ioredis 6.0.0 does not when the node that it
 * asks says that the cluster is down, as during a failover: the client connects once more by itself, and nothing settles the first
 * promise. BullMQ waits for that promise before it looks for jobs of a queue.
 */
export function settleConnect(cluster: Cluster): Cluster {
  const connect = cluster.connect.bind(cluster);
  const duplicate = cluster.duplicate.bind(cluster);
  let settled: Promise<void> | undefined;
  cluster.connect = async () => {
    const attempt = connect();
    // Further attempts of the client itself come here as well.
    settled ??= readyOrEnded(cluster).finally(() => {
      settled = undefined;
    });
    await Promise.race([attempt, settled]);
  };
  // BullMQ duplicates the client for the blocking commands of each queue.
  cluster.duplicate = ((...options: Parameters<Cluster['duplicate']>) =>
    settleConnect(duplicate(...options) as Cluster)) as Cluster['duplicate'];
  return cluster;
}

function readyOrEnded(cluster: Cluster): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  // BullMQ knows this message.
  const onEnd = (): void => reject(new Error('Connection is closed.'));
  cluster.once('ready', resolve);
  cluster.once('end', onEnd);
  return promise.finally(() => {
    cluster.off('ready', resolve);
    cluster.off('end', onEnd);
  });
}
