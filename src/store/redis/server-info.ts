import { Cluster, type Redis } from 'ioredis';
import type { RedisClient } from './connection.ts';

/** Facts that one Redis server reports about itself. An unset field was not reported. */
export interface ServerInfo {
  /** `host:port`. */
  readonly node: string;
  /** `redis` or `valkey`, and its version. */
  readonly product: string;
  readonly version: string;
  readonly usedBytes: number;
  /** `undefined`: no limit is set. */
  readonly limitBytes?: number | undefined;
  /** `maxmemory-policy`. Any other than `noeviction` loses jobs and alerts when memory is full. */
  readonly evictionPolicy?: string | undefined;
  /** Memory of the machine. */
  readonly systemBytes?: number | undefined;
  readonly role?: string | undefined;
  readonly replicas: number;
  readonly connectedClients: number;
  readonly maxClients?: number | undefined;
  /** False: the last snapshot or rewrite of the log failed. */
  readonly savedToDisk: boolean;
}

/** The servers that hold data: the primaries of a cluster. */
export function dataNodes(redis: RedisClient): readonly Redis[] {
  return redis instanceof Cluster ? redis.nodes('master') : [redis];
}

/** `INFO` of each server that holds data. */
export async function readServerInfo(redis: RedisClient): Promise<readonly ServerInfo[]> {
  return await Promise.all(
    dataNodes(redis).map(async (server) => {
      const { host = 'embedded', port = 0 } = server.options;
      return parseServerInfo(`${host}:${port}`, String(await server.info()));
    }),
  );
}

export function parseServerInfo(node: string, text: string): ServerInfo {
  const fields = new Map(
    text.split(/\r?\n/).flatMap((line) => {
      const at = line.indexOf(':');
      return at < 1 ? [] : [[line.slice(0, at), line.slice(at + 1)] as const];
    }),
  );
  const positive = (name: string): number | undefined => Number(fields.get(name) ?? 0) || undefined;
  const valkey = fields.get('valkey_version');
  return {
    node,
    product: valkey === undefined ? 'redis' : 'valkey',
    version: valkey ?? fields.get('redis_version') ?? 'unknown',
    usedBytes: positive('used_memory') ?? 0,
    limitBytes: positive('maxmemory'),
    evictionPolicy: fields.get('maxmemory_policy'),
    systemBytes: positive('total_system_memory'),
    role: fields.get('role'),
    replicas: positive('connected_slaves') ?? 0,
    connectedClients: positive('connected_clients') ?? 0,
    maxClients: positive('maxclients'),
    savedToDisk: !['rdb_last_bgsave_status', 'aof_last_bgrewrite_status', 'aof_last_write_status'].some(
      (name) => (fields.get(name) ?? 'ok') !== 'ok',
    ),
  };
}
