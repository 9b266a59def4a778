import { type NativeRedis, startNativeRedis } from './native-redis.ts';
import { until } from './until.ts';

export interface NativeCluster {
  /** All nodes, for `redis.url`. */
  readonly url: string;
  readonly primaries: readonly NativeRedis[];
  /** The replica of each primary, in the same order. */
  readonly replicas: readonly NativeRedis[];
  close(): Promise<void>;
}

export const SLOTS = 16_384;
const OPTIONS = [
  ...['--cluster-enabled', 'yes', '--cluster-node-timeout', '2000', '--cluster-require-full-coverage', 'no'],
  ...['--appendonly', 'yes', '--appendfsync', 'always'],
];

/** Starts a Redis Cluster on loopback ports: primaries that share the slots evenly, and `replicated`: a replica of each. */
export async function startNativeCluster(count = 3, { replicated = false } = {}): Promise<NativeCluster> {
  const nodes: NativeRedis[] = [];
  const close = async () => void (await Promise.all(nodes.map((node) => node.close())));
  try {
    const started = Array.from({ length: replicated ? 2 * count : count }, async () => {
      nodes.push(await startNativeRedis(...OPTIONS));
    });
    const failed = (await Promise.allSettled(started)).find(({ status }) => status === 'rejected');
    if (failed !== undefined) throw (failed as PromiseRejectedResult).reason;
    const [primaries, replicas] = [nodes.slice(0, count), nodes.slice(count)];
    await join(primaries, replicas);
    return { url: nodes.map(({ url }) => url).join(','), primaries, replicas, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Makes a cluster of nodes. */
async function join(primaries: readonly NativeRedis[], replicas: readonly NativeRedis[]): Promise<void> {
  const nodes = [...primaries, ...replicas];
  const [first] = primaries;
  for (const [index, primary] of primaries.entries()) {
    const from = Math.ceil((SLOTS * index) / primaries.length);
    const to = Math.ceil((SLOTS * (index + 1)) / primaries.length) - 1;
    await primary.call('CLUSTER', 'ADDSLOTSRANGE', String(from), String(to));
  }
  for (const node of nodes.slice(1)) await first?.call('CLUSTER', 'MEET', '127.0.0.1', String(node.port));
  for (const node of nodes) await formed(node, nodes.length);
  for (const [index, replica] of replicas.entries()) {
    await replica.call('CLUSTER', 'REPLICATE', String(await primaries[index]?.call('CLUSTER', 'MYID')));
  }
  for (const replica of replicas) {
    await until(`the replica on port ${replica.port} is up to date`, async () =>
      String(await replica.call('INFO', 'replication')).includes('master_link_status:up'),
    );
  }
}

async function formed(node: NativeRedis, count: number): Promise<void> {
  await until(`the node on port ${node.port} is part of a complete cluster`, async () => {
    const info = String(await node.call('CLUSTER', 'INFO'));
    return info.includes('cluster_state:ok') && info.includes(`cluster_known_nodes:${count}`);
  });
}
