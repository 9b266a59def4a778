import { Cluster, type Redis } from 'ioredis';
import type { ObjectStorage } from '../../model/ports/object-storage.ts';
import { createKeys, type Keys } from '../../store/keys.ts';
import type { RedisClient } from '../../store/redis/connection.ts';
import { scanParts } from '../../store/redis/scan.ts';
import { shardOf } from '../../store/shards/shard-layout.ts';

/** The shards before and after a move. The keys after it are empty when it begins, and no process uses them. */
export interface Move {
  readonly redis: RedisClient;
  /** Has old blocks of ledgers. */
  readonly storage: ObjectStorage | undefined;
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
  }: { prefix: string; from: number; to: number } & Pick<Move, 'storage' | 'signal' | 'onProgress'>,
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

/**
 * The shards that get an entry: that of the target which it names, all of them, the first one, or a choice by its name and its value.
 * The value is that of a field, or a score.
 */
export type Place =
  | 'target'
  | 'all'
  | 'first'
  | ((move: Move, name: string, value: Buffer, source: Keys) => readonly Keys[] | Promise<readonly Keys[]>);

/**
 * Copies the entries of a hash, a set or a sorted set of each shard, in which they have the same name. Of a score that several shards
 * have, the largest stays.
 */
export async function copyEntries(move: Move, keyOf: (keys: Keys) => string, place: Place): Promise<void> {
  const { redis, sources, destinations, destination, signal, onProgress } = move;
  for (const [index, source] of sources.entries()) {
    const key = keyOf(source);
    onProgress(`copying ${key}`, index, sources.length);
    const type = (await redis.type(key)) as keyof typeof SCAN | 'none';
    if (type === 'none') continue;
    for await (const part of scanParts(redis, SCAN[type], key)) {
      signal.throwIfAborted();
      await Promise.all(
        part.map(async ([name, value]) => {
          const chosen =
            typeof place === 'function'
              ? await place(move, name, value, source)
              : { target: [destination(name)], all: destinations, first: destinations.slice(0, 1) }[place];
          await Promise.all(chosen.map((keys) => WRITE[type](redis, keyOf(keys), name, value)));
        }),
      );
    }
  }
}

const SCAN = { hash: 'HSCAN', set: 'SSCAN', zset: 'ZSCAN' } as const;

const WRITE: Readonly<
  Record<
    keyof typeof SCAN,
    (redis: RedisClient, key: string, name: string, value: Buffer) => Promise<unknown>
  >
> = {
  hash: (redis, key, name, value) => redis.hset(key, name, value),
  set: (redis, key, name) => redis.sadd(key, name),
  zset: (redis, key, name, score) => redis.zadd(key, 'GT', score, name),
};

/** The members of a set, or the fields of a hash, of all shards. */
export async function namesIn(
  { redis, sources }: Move,
  command: 'SSCAN' | 'HSCAN',
  keyOf: (keys: Keys) => string,
): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  for (const source of sources) {
    for await (const part of scanParts(redis, command, keyOf(source)))
      for (const [name] of part) names.add(name);
  }
  return names;
}
