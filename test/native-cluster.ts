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
  const start = () => Promise.all(Array.from({ length: count }, () => startNativeRedis(...OPTIONS)));
  const primaries = await start();
  const replicas = replicated ? await start() : [];
  const nodes = [...primaries, ...replicas];
  const [first] = primaries;
  for (const [index, primary] of primaries.entries()) {
    const from = Math.ceil((SLOTS * index) / count);
    const to = Math.ceil((SLOTS * (index + 1)) / count) - 1;
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
  return {
    url: nodes.map(({ url }) => url).join(','),
    primaries,
    replicas,
    close: async () => void (await Promise.all(nodes.map((node) => node.close()))),
  };
}

async function formed(node: NativeRedis, count: number): Promise<void> {
  await until(`the node on port ${node.port} is part of a complete cluster`, async () => {
    const info = String(await node.call('CLUSTER', 'INFO'));
    return info.includes('cluster_state:ok') && info.includes(`cluster_known_nodes:${count}`);
  });
}
