import type { Cluster, Redis } from 'ioredis';
import { messageOf } from '../../model/errors.ts';

/** The error of an attempt of ioredis to connect to a Redis Cluster, after which it makes another one. */
const NO_NODE = 'None of startup nodes is available';

/**
 * Makes `connect` of a client of a Redis Cluster, and of its duplicates, end when the client is ready or has ended. In ioredis 6.0.0
 * it never ends when the node that it asks says that the cluster is down, as during a failover, and it fails when no node answers in time.
 * The client connects once more by itself in both cases. BullMQ waits for this promise before it looks for jobs of a queue, and gives the
 * queue up when it fails.
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
    const ready = settled;
    const onError = (error: unknown) => (messageOf(error) === NO_NODE ? ready : Promise.reject(error));
    await Promise.race([attempt.catch(onError), ready]);
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

/**
 * Makes the duplicates of a client of a Redis Cluster, and theirs, ask for its slots when the client lost a node. Only the client itself asks
 * from time to time (`slotsRefreshInterval`): otherwise each of them would wait for the answer of a frozen primary, one after the other,
 * until `socketTimeout`, whatever replica took over meanwhile.
 */
export function followSlots(cluster: Cluster): Cluster {
  const duplicate = cluster.duplicate.bind(cluster);
  cluster.duplicate = (nodes, options) => {
    const copy = followSlots(duplicate(nodes, { ...options, slotsRefreshInterval: undefined }));
    copy.setMaxListeners(cluster.getMaxListeners());
    const refresh = (): void => {
      if (copy.status === 'ready') copy.refreshSlotsCache();
    };
    cluster.on('-node', refresh);
    copy.once('end', () => cluster.off('-node', refresh));
    return copy;
  };
  return cluster;
}

/**
 * Sends commands that are issued in one turn of the event loop in one write. Jobs that run concurrently issue several, because their
 * answers arrive together, and each write is a system call. Nothing waits longer: the write follows the promises of the turn.
 */
export function batchWrites(client: Redis): void {
  client.on('connect', () => {
    const { stream } = client;
    const write = stream.write;
    stream.write = (...message: unknown[]): boolean => {
      if (stream.writableCorked === 0) {
        stream.cork();
        process.nextTick(() => stream.uncork());
      }
      return Reflect.apply(write, stream, message);
    };
  });
}
