import { Cluster, type Redis } from 'ioredis';
import { createKeys, type Keys } from '../../store/keys.ts';
import type { RedisClient } from '../../store/redis/connection.ts';
import { shardOf } from '../../store/shards/shard.ts';

/** The shards before and after a move. The keys after it are empty when it begins, and no process uses them. */
export interface Move {
  readonly redis: RedisClient;
  readonly signal: AbortSignal;
  readonly sources: readonly Keys[];
  readonly destinations: readonly Keys[];
  /** The shard that a target gets. */
  destination(target: string): Keys;
  readonly onProgress: (step: string, done: number, total: number) => void;
}

export function createMove(
  redis: RedisClient,
  {
    prefix,
    from,
    to,
    ...others
  }: { prefix: string; from: number; to: number } & Pick<Move, 'signal' | 'onProgress'>,
): Move {
  const keysOf = (count: number): readonly Keys[] =>
    Array.from({ length: count }, (_, index) => createKeys(prefix, { index, count }));
  const destinations = keysOf(to);
  const destination = (target: string): Keys => destinations[shardOf(target, to)] as Keys;
  return { redis, ...others, sources: keysOf(from), destinations, destination };
}

/** All keys that match a pattern, of all nodes, in parts. */
export async function* scanKeys(redis: RedisClient, pattern: string): AsyncGenerator<readonly string[]> {
  const nodes: readonly Redis[] = redis instanceof Cluster ? redis.nodes('master') : [redis];
  for (const node of nodes) {
    let cursor = '0';
    do {
      const [next, keys] = await node.scan(cursor, 'MATCH', pattern, 'COUNT', 1_000);
      if (keys.length > 0) yield keys;
      cursor = next;
    } while (cursor !== '0');
  }
}

/** Copies a key with its time to live. */
export async function copyKey(redis: RedisClient, from: string, to: string): Promise<void> {
  const [value, ttl] = await Promise.all([redis.dumpBuffer(from), redis.pttl(from)]);
  if (value !== null) await redis.restore(to, Math.max(ttl, 0), value, 'REPLACE');
}

/** The shards that get an entry. `value`: of a hash, or a score; a member of a set is its own value. */
type Destinations = (name: string, value: Buffer, source: Keys) => readonly Keys[] | Promise<readonly Keys[]>;

/**
 * Copies the entries of a hash, a set or a sorted set of each shard, in which they have the same name. Of a score that several shards
 * have, the largest stays.
 */
export async function copyEntries(
  { redis, sources, signal, onProgress }: Move,
  keyOf: (keys: Keys) => string,
  destinationsOf: Destinations,
): Promise<void> {
  for (const [index, source] of sources.entries()) {
    const key = keyOf(source);
    onProgress(`copying ${key}`, index, sources.length);
    for await (const { type, entries } of scanEntries(redis, key)) {
      signal.throwIfAborted();
      await Promise.all(
        entries.map(async ([name, value]) => {
          const destinations = await destinationsOf(name, value, source);
          const targets = destinations.map(keyOf);
          await Promise.all(targets.map((to) => WRITE[type](redis, to, name, value)));
        }),
      );
    }
  }
}

type EntryType = 'hash' | 'set' | 'zset';

const WRITE: Readonly<
  Record<EntryType, (redis: RedisClient, key: string, name: string, value: Buffer) => Promise<unknown>>
> = {
  hash: (redis, key, name, value) => redis.hset(key, name, value),
  set: (redis, key, name) => redis.sadd(key, name),
  zset: (redis, key, name, score) => redis.zadd(key, 'GT', score, name),
};

/** The entries of a hash, a set or a sorted set, in parts; none of a key that does not exist. */
export async function* scanEntries(redis: RedisClient, key: string) {
  const type = (await redis.type(key)) as EntryType | 'none';
  if (type === 'none') return;
  const command = { hash: 'HSCAN', set: 'SSCAN', zset: 'ZSCAN' }[type];
  let cursor = '0';
  do {
    const [next, found] = (await redis.callBuffer(command, key, cursor, 'COUNT', 500)) as [Buffer, Buffer[]];
    const entries: [name: string, value: Buffer][] = [];
    for (let at = 0; at < found.length; at += type === 'set' ? 1 : 2) {
      entries.push([String(found[at]), (type === 'set' ? found[at] : found[at + 1]) as Buffer]);
    }
    yield { type, entries };
    cursor = String(next);
  } while (cursor !== '0');
}

/** The names of all entries. */
export async function namesIn(
  { redis, sources }: Move,
  keyOf: (keys: Keys) => string,
): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  for (const source of sources) {
    for await (const { entries } of scanEntries(redis, keyOf(source)))
      for (const [name] of entries) names.add(name);
  }
  return names;
}
