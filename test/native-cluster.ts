import { type NativeRedis, startNativeRedis } from './native-redis.ts';
import { until } from './until.ts';

export interface NativeCluster {
  /** All primaries, for `redis.url`. */
  readonly url: string;
  readonly primaries: readonly NativeRedis[];
  close(): Promise<void>;
}

const SLOTS = 16_384;
const OPTIONS = [
  ...['--cluster-enabled', 'yes', '--cluster-node-timeout', '2000', '--cluster-require-full-coverage', 'no'],
  ...['--appendonly', 'yes', '--appendfsync', 'always'],
];

/** Starts a Redis Cluster on loopback ports: primaries that share the slots evenly. */
export async function startNativeCluster(count = 3): Promise<NativeCluster> {
  const primaries = await Promise.all(Array.from({ length: count }, () => startNativeRedis(...OPTIONS)));
  const [first] = primaries;
  for (const [index, primary] of primaries.entries()) {
    const from = Math.ceil((SLOTS * index) / count);
    const to = Math.ceil((SLOTS * (index + 1)) / count) - 1;
    await primary.call('CLUSTER', 'ADDSLOTSRANGE', String(from), String(to));
    if (index > 0) await first?.call('CLUSTER', 'MEET', '127.0.0.1', String(primary.port));
  }
  for (const primary of primaries) await formed(primary, count);
  return {
    url: primaries.map(({ url }) => url).join(','),
    primaries,
    close: async () => void (await Promise.all(primaries.map((primary) => primary.close()))),
  };
}

async function formed(primary: NativeRedis, count: number): Promise<void> {
  await until(`the node on port ${primary.port} is part of a complete cluster`, async () => {
    const info = String(await primary.call('CLUSTER', 'INFO'));
    return info.includes('cluster_state:ok') && info.includes(`cluster_known_nodes:${count}`);
  });
}
