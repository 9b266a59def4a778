import type { Cluster, Redis } from 'ioredis';
import { messageOf } from '../../model/errors.ts';

/** BullMQ knows this message. */
const CLOSED = 'Connection is closed.';
/** The errors of an attempt of ioredis to connect to a Redis or a Redis Cluster, after which it makes another one. */
const REPEATED: ReadonlySet<string> = new Set([CLOSED, 'None of startup nodes is available']);

/**
 * Makes `connect` of a client, and of its duplicates, end when the client is ready or has ended. In ioredis 6.0.0 it fails when a Redis
 * closes the connection before it is ready, or no node of a cluster answers in time, and never ends when the node that it asks says that
 * the cluster is down, as during a failover. The client connects once more by itself in all cases. BullMQ waits for this promise before it
 * looks for jobs of a queue, and gives the queue up when it fails.
 */
export function settleConnect<Client extends Redis | Cluster>(client: Client): Client {
  const connect = client.connect.bind(client);
  const duplicate = client.duplicate.bind(client) as (...options: readonly unknown[]) => Client;
  let settled: Promise<void> | undefined;
  client.connect = async () => {
    const attempt = connect();
    // Further attempts of the client itself come here as well.
    settled ??= readyOrEnded(client).finally(() => {
      settled = undefined;
    });
    const ready = settled;
    const onError = (error: unknown) => (REPEATED.has(messageOf(error)) ? ready : Promise.reject(error));
    await Promise.race([attempt.catch(onError), ready]);
  };
  // BullMQ duplicates the client for the blocking commands of each queue.
  client.duplicate = ((...options: readonly unknown[]) =>
    settleConnect(duplicate(...options))) as Client['duplicate'];
  return client;
}

function readyOrEnded(client: Redis | Cluster): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onEnd = (): void => reject(new Error(CLOSED));
  client.once('ready', resolve);
  client.once('end', onEnd);
  return promise.finally(() => {
    client.off('ready', resolve);
    client.off('end', onEnd);
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
