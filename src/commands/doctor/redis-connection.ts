import { randomUUID } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import { Cluster, Redis } from 'ioredis';
import { roundTrip, timeOf } from '../../compose/health.ts';
import { redisUrls } from '../../compose/redis-connection.ts';
import { publicAddressesOnly } from '../../http/address-guard.ts';
import { messageOf } from '../../model/errors.ts';
import { broken, degraded, fine } from '../../model/fleet/checks.ts';
import { formatAddresses, parseAddresses, type RedisAddress } from '../../store/redis/address.ts';
import { dataNodes } from '../../store/redis/server-info.ts';
import { isForbidden } from '../../store/redis/server-settings.ts';
import { type Check, check, type Finding, independent } from './check.ts';
import { redisOf } from './redis-server.ts';

const SKEW_NOTED_MS = 1_000;
const SKEW_FAULT_MS = 10_000;
const SLOW_MS = 20;
const SLOTS = 16_384;
const DAY_MS = 24 * 3_600_000;
const CERTIFICATE_DAYS = 14;

const latency = check('redis', 'latency', async ({ stores }) => {
  const median = await roundTrip({ redis: redisOf(stores) });
  const says = `a round trip takes ${median.toFixed(1)} ms`;
  if (median < SLOW_MS) return fine(says);
  return degraded(says, 'Run the workers near Redis: a scan takes some hundred round trips.');
});

/** Times of schedules, locks and presences are compared between processes. */
const clock = check('redis', 'clock', async ({ stores }) => {
  const before = Date.now();
  const server = await timeOf({ redis: redisOf(stores) });
  const after = Date.now();
  // Only what the round trip does not explain.
  const skew = Math.round(Math.max(0, before - server, server - after));
  if (skew <= SKEW_NOTED_MS) return fine(`this clock and that of Redis agree within ${Math.max(skew, 1)} ms`);
  const says = `this clock and that of Redis differ by ${(skew / 1_000).toFixed(1)} s`;
  const remedy = 'Synchronise the clocks (NTP): schedules, retries and the order of scans depend on them.';
  return skew > SKEW_FAULT_MS ? broken(says, remedy) : degraded(says, remedy);
});

const tls = check('redis', 'TLS', async ({ loaded, stores }) => {
  const [address] = parseAddresses(loaded.config.redis.url ?? '');
  if (address === undefined) return fine('there is no address');
  if (address.options.tls === undefined) {
    const isPublic = publicAddressesOnly()(address.host, address.host) && /^[\d.]+$|:/.test(address.host);
    const says = `the connection to ${address.host} is not encrypted`;
    return isPublic
      ? broken(`${says}, and its address is public`, 'Use `rediss://`.')
      : fine(`${says}; use \`rediss://\` outside of a private network`);
  }
  const [server] = dataNodes(redisOf(stores));
  const ends = (server?.stream as TLSSocket | undefined)?.getPeerCertificate?.().valid_to;
  if (ends === undefined) return fine('the connection is encrypted');
  const days = Math.floor((Date.parse(ends) - Date.now()) / DAY_MS);
  const says = `the connection is encrypted; the certificate is valid for ${days} days`;
  return days < CERTIFICATE_DAYS ? degraded(says, 'Renew the certificate of Redis.') : fine(says);
});

/** Commands with a key, as stores and queues use them. Each is harmless: the key expires within a minute. */
const COMMANDS: readonly (readonly [command: string, ...(string | number)[]])[] = [
  ...([
    ['set', 'KEY', '1', 'PX', 60_000],
    ['get', 'KEY'],
    ['getex', 'KEY'],
    ['exists', 'KEY'],
    ['unlink', 'KEY'],
  ] as const),
  ...([
    ['hset', 'KEY', 'a', '1'],
    ['hmget', 'KEY', 'a'],
    ['hscan', 'KEY', 0],
    ['hincrby', 'KEY', 'a', 1],
    ['pexpire', 'KEY', 60_000],
    ['del', 'KEY'],
  ] as const),
  ...([
    ['lpush', 'KEY', 'a'],
    ['lindex', 'KEY', 0],
    ['rpoplpush', 'KEY', 'KEY'],
    ['lpos', 'KEY', 'a'],
    ['del', 'KEY'],
  ] as const),
  ...([
    ['zadd', 'KEY', 1, 'a'],
    ['zrangebyscore', 'KEY', 0, 2],
    ['bzpopmin', 'KEY', 0.01],
    ['del', 'KEY'],
  ] as const),
  ...([
    ['sadd', 'KEY', 'a'],
    ['smembers', 'KEY'],
    ['del', 'KEY'],
  ] as const),
  ...([
    ['xadd', 'KEY', 'MAXLEN', 1, '*', 'a', '1'],
    ['xrange', 'KEY', '-', '+'],
    ['del', 'KEY'],
  ] as const),
  ['eval', "return redis.call('EXISTS', KEYS[1])", 1, 'KEY'],
];
/** The commands without a key. */
const PLAIN: readonly (readonly [command: string, ...string[]])[] = [
  ['time'],
  ['info', 'server'],
  ['script', 'load', 'return 1'],
  ['client', 'setname', 'lockhound-doctor'],
];

const rights = check('redis', 'rights', async ({ stores }) => {
  const [first] = stores.shards;
  const redis = redisOf(stores);
  const key = `${first?.prefix}:doctor:${randomUUID()}`;
  const refused: string[] = [];
  for (const [command, ...args] of [...COMMANDS, ...PLAIN]) {
    const all = args.map((arg) => (arg === 'KEY' ? key : arg));
    try {
      await redis.call(command, ...all);
    } catch (error) {
      if (!isForbidden(error)) throw error;
      refused.push(command.toUpperCase());
    }
  }
  if (refused.length === 0)
    return fine(`all ${COMMANDS.length + PLAIN.length} commands that were tried are allowed`);
  const user = await redis.call('ACL', 'WHOAMI').catch(() => 'this user');
  const says = `${String(user)} may not run ${[...new Set(refused)].join(', ')} on keys of ${first?.prefix}`;
  return broken(says, 'Grant the user what docs/redis.md ("Rights") lists.');
});

const slots = check('redis', 'cluster', async ({ loaded, stores }) => {
  const redis = redisOf(stores);
  if (!(redis instanceof Cluster)) {
    const { shards } = loaded.config.redis;
    return shards === 1
      ? fine('a single Redis')
      : fine(`${shards} shards on a single Redis gain nothing`, 'Use one shard, or a cluster.');
  }
  const text = String(await dataNodes(redis)[0]?.call('CLUSTER', 'INFO'));
  const field = (name: string) => new RegExp(`^${name}:(\\w+)`, 'm').exec(text)?.[1];
  const served = Number(field('cluster_slots_ok') ?? 0);
  const says = `${redis.nodes('master').length} primaries serve ${served} of ${SLOTS} slots (${field('cluster_state')})`;
  if (served === SLOTS && field('cluster_state') === 'ok') return fine(says);
  return broken(says, 'Repair the cluster: `redis-cli --cluster check` and `--cluster fix`.');
});

/** The checks that measure times. */
export const REDIS_TIME_CHECKS: readonly Check[] = [latency, clock];
export const REDIS_CONNECTION_CHECKS: readonly Check[] = [tls, rights, slots];

const LIMIT_MS = 3_000;

/** Every Sentinel answers, knows the primary, and enough of them agree to promote a replica. Needs no Redis. */
export const sentinels = independent('redis', 'sentinels', async ({ loaded }) => {
  const { url = '' } = loaded.config.redis;
  const addresses = url === '' ? [] : parseAddresses(redisUrls(url, loaded.secrets));
  const all = addresses.filter(({ sentinel }) => sentinel !== undefined);
  if (all.length === 0) return fine('no Sentinels are configured');
  return await Promise.all(all.map(askOne));
});

async function askOne(address: RedisAddress): Promise<Finding> {
  const { host, port, sentinel, options } = address;
  const where = formatAddresses([address]);
  const client = new Redis({
    ...{ host, port, lazyConnect: true, retryStrategy: null },
    ...{ connectTimeout: LIMIT_MS, commandTimeout: LIMIT_MS },
    ...(sentinel?.password === undefined ? {} : { password: sentinel.password }),
    ...(options.tls === undefined ? {} : { tls: { servername: host } }),
  });
  client.on('error', () => {});
  try {
    await client.connect();
    const primary = await client.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', sentinel?.master ?? '');
    if (!Array.isArray(primary)) {
      return broken(`${where} does not monitor ${sentinel?.master}`, 'Correct `redis.master`.');
    }
    const quorum = await client
      .call('SENTINEL', 'CKQUORUM', sentinel?.master ?? '')
      .catch((error: unknown) => messageOf(error));
    const says = `${where} names ${primary.join(':')} as the primary: ${String(quorum)}`;
    return String(quorum).startsWith('OK')
      ? fine(says)
      : degraded(says, 'Start more Sentinels: no replica can be promoted.');
  } catch (error) {
    return degraded(
      `${where}: ${messageOf(error)}`,
      'Start it, or remove it from `redis.sentinels`; the others are used meanwhile.',
    );
  } finally {
    client.disconnect();
  }
}
