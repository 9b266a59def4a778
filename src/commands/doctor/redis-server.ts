import { broken, degraded, fine, unknown } from '../../model/fleet/checks.ts';
import { readServerInfo, type ServerInfo } from '../../store/redis/server-info.ts';
import { readServerSettings } from '../../store/redis/server-settings.ts';
import { type Check, check, type Finding, type Patient } from './check.ts';

/** The oldest releases that have every command that is used. */
const LEAST: Readonly<Record<string, readonly [number, number]>> = { redis: [6, 2], valkey: [7, 2] };
const MEMORY_LATE = 0.7;
const MEMORY_FULL = 0.85;
const CLIENTS_FULL = 0.8;
/** Less than this is soon used by a burst of scans, in bytes. */
const LEAST_LEFT = 64 * 2 ** 20;

const version = check(
  'redis',
  'version',
  each(({ node, product, version: text }) => {
    const [major = 0, minor = 0] = text.split('.').map(Number);
    const [least, leastMinor] = LEAST[product] ?? [0, 0];
    const says = `${product} ${text} at ${node}`;
    if (major > least || (major === least && minor >= leastMinor)) return fine(says);
    return broken(`${says} is too old`, `Upgrade it to at least ${least}.${leastMinor}.`);
  }),
);

const persistence = check('redis', 'persistence', async ({ stores }) => {
  const { persistent, fsync } = await readServerSettings(redisOf(stores));
  const failed = (await readServerInfo(redisOf(stores))).filter(({ savedToDisk }) => !savedToDisk);
  if (failed.length > 0) {
    const where = failed.map(({ node }) => node).join(', ');
    return broken(`the last write to disk failed at ${where}`, 'Check the disk and the log of Redis.');
  }
  if (persistent === undefined)
    return unknown('Redis does not say whether it writes to disk', 'Check its settings: docs/redis.md.');
  if (!persistent)
    return broken('Redis does not write to disk: a restart loses everything', 'Set `appendonly yes`.');
  if (fsync === 'always') return fine('appendonly with `appendfsync always`: nothing acknowledged is lost');
  return fine(
    fsync === undefined
      ? 'snapshots only: a restart loses what came after the last one'
      : `appendonly with \`appendfsync ${fsync}\``,
    'Set `appendonly yes` and `appendfsync always` if no alert may be lost in a power failure.',
  );
});

const eviction = check('redis', 'eviction', async ({ stores }) => {
  const { evictionPolicy } = await readServerSettings(redisOf(stores));
  if (evictionPolicy === undefined)
    return unknown('Redis does not report `maxmemory-policy`', 'It has to be `noeviction`.');
  if (evictionPolicy === 'noeviction') return fine('maxmemory-policy noeviction');
  const says = `maxmemory-policy ${evictionPolicy}: jobs and alerts are lost when memory is full`;
  return broken(says, 'Set `maxmemory-policy noeviction`; workers do not start otherwise.');
});

const memory = check(
  'redis',
  'memory',
  each(({ node, usedBytes, limitBytes, systemBytes }) => {
    const used = `${megabytes(usedBytes)} used at ${node}`;
    const of = limitBytes ?? systemBytes;
    if (of === undefined)
      return fine(`${used}; Redis reports no limit`, 'Set `maxmemory` below the memory of the machine.');
    const part = usedBytes / of;
    const says = `${used} of ${megabytes(of)} (${Math.round(part * 100)} %)${limitBytes === undefined ? ' of the machine' : ''}`;
    if (part >= MEMORY_FULL)
      return broken(says, 'Raise `maxmemory` now: when it is full, Redis accepts nothing more.');
    if (part < MEMORY_LATE && of - usedBytes < LEAST_LEFT) {
      const left = `${says}: less than ${megabytes(LEAST_LEFT)} are left`;
      return degraded(left, 'Raise `maxmemory`: docs/sizing.md says how much a fleet needs.');
    }
    if (part >= MEMORY_LATE)
      return degraded(says, 'Raise `maxmemory`, or shorten `worker.retention` and `lockfiles.retention`.');
    if (limitBytes !== undefined) return fine(says);
    return fine(says, 'Set `maxmemory`: without it the system ends Redis when memory is full.');
  }),
);

const role = check(
  'redis',
  'role',
  each(({ node, role, replicas: count }) => {
    if (role === 'slave')
      return broken(
        `${node} is a replica, which accepts no writes`,
        'Connect to the primary, or use `redis.sentinels`.',
      );
    return fine(`${node} is a primary with ${count === 1 ? '1 replica' : `${count} replicas`}`);
  }),
);

const clients = check(
  'redis',
  'clients',
  each(({ node, connectedClients, maxClients }) => {
    const count = connectedClients === 1 ? '1 connection' : `${connectedClients} connections`;
    const says = `${count} at ${node}${maxClients === undefined ? '' : ` of ${maxClients}`}`;
    if (maxClients === undefined || connectedClients < CLIENTS_FULL * maxClients) return fine(says);
    return degraded(says, 'Raise `maxclients`: a worker opens about 25 connections for each shard.');
  }),
);

export const REDIS_SERVER_CHECKS: readonly Check[] = [version, role, persistence, eviction, memory, clients];

/** A check of each server that holds data. */
function each(judge: (info: ServerInfo) => Finding) {
  return async ({ stores }: Patient): Promise<readonly Finding[]> =>
    (await readServerInfo(redisOf(stores))).map(judge);
}

export function redisOf(stores: Patient['stores']) {
  const [first] = stores.shards;
  if (first === undefined) throw new RangeError('a deployment has at least one shard');
  return first.redis;
}

function megabytes(bytes: number): string {
  return bytes < 10 * 2 ** 30 ? `${Math.round(bytes / 2 ** 20)} MiB` : `${Math.round(bytes / 2 ** 30)} GiB`;
}
