import { Cluster, type Redis } from 'ioredis';
import { createKeys, type Keys } from '../../store/keys.ts';
import type { RedisClient } from '../../store/redis/connection.ts';
import { shardOf } from '../../store/shards/shard.ts';

/** Between the tag and the rest of a copied key, until the copy takes the place of the original. */
const STAGING = ':moving';

/** The shards before and after a move. Copies are written to the staging keys of the shards after it. */
export interface Move {
  readonly redis: RedisClient;
  readonly prefix: string;
  readonly from: number;
  readonly to: number;
  readonly sources: readonly Keys[];
  readonly staged: readonly Keys[];
  /** The staging keys of the shard that a target gets. */
  destination(target: string): Keys;
  readonly onProgress: (step: string, done: number, total: number) => void;
}

export function createMove(
  redis: RedisClient,
  {
    prefix,
    from,
    to,
    onProgress,
  }: { prefix: string; from: number; to: number; onProgress: Move['onProgress'] },
): Move {
  const keysOf = (count: number, infix?: string): readonly Keys[] =>
    Array.from({ length: count }, (_, index) => createKeys(prefix, { index, count }, infix));
  const staged = keysOf(to, STAGING);
  return {
    redis,
    prefix,
    from,
    to,
    onProgress,
    sources: keysOf(from),
    staged,
    destination: (target) => staged[shardOf(target, to)] as Keys,
  };
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

/** Copies a key with its time to live. Replaces a copy of an interrupted move. */
export async function copyKey(redis: RedisClient, from: string, to: string): Promise<void> {
  const [value, ttl] = await Promise.all([redis.dumpBuffer(from), redis.pttl(from)]);
  if (value !== null) await redis.restore(to, Math.max(ttl, 0), value, 'REPLACE');
}

/** Fields of a hash with their values, in parts. */
export async function* scanHash(
  redis: RedisClient,
  key: string,
): AsyncGenerator<readonly (readonly [field: string, value: Buffer])[]> {
  let cursor = '0';
  do {
    const [next, found] = await redis.hscanBuffer(key, cursor, 'COUNT', 500);
    const entries: [string, Buffer][] = [];
    for (let at = 0; at + 1 < found.length; at += 2) {
      entries.push([String(found[at]), found[at + 1] as Buffer]);
    }
    if (entries.length > 0) yield entries;
    cursor = String(next);
  } while (cursor !== '0');
}

/** Deletes the copies of an interrupted move. */
export async function dropStaged({ redis, staged }: Move): Promise<void> {
  for (const { prefix } of staged) {
    for await (const keys of scanKeys(redis, `${prefix}:*`)) await redis.unlink(...keys);
  }
}

/** Deletes what was copied: all keys of the shards before the move, except for what all shards share and for the copies. */
export async function removeSources({
  redis,
  prefix: base,
  sources,
  from,
  to,
  onProgress,
}: Move): Promise<void> {
  const kept = sharedKeys(base);
  for (const [index, keys] of sources.entries()) {
    onProgress('deleting the originals', index, from);
    const { prefix } = keys;
    const keptPrefixes = [
      ...[`${prefix}${STAGING}:`, keys.lock(''), keys.budget(''), keys.applied('')],
      ...[keys.apiAnswer(''), keys.apiSession('')],
    ];
    for await (const found of scanKeys(redis, `${prefix}:*`)) {
      const removed = found.filter(
        (key) => !kept.has(key) && !keptPrefixes.some((start) => key.startsWith(start)),
      );
      if (removed.length > 0) await redis.unlink(...removed);
    }
  }
  if (to > 1) return;
  // What several shards shared has other keys with one.
  const bare = base.replaceAll(/[{}]/g, '');
  for (const pattern of [`${bare}:{${bare}:*}:*`, `${bare}:blob:*`]) {
    for await (const found of scanKeys(redis, pattern)) await unlinkEach(redis, found);
  }
}

/** The keys of what all shards share: they are the same for any number of shards. */
function sharedKeys(prefix: string): ReadonlySet<unknown> {
  const ofOne = new Set<unknown>(Object.values(createKeys(prefix)));
  const ofSeveral: readonly unknown[] = Object.values(createKeys(prefix, { index: 0, count: 2 }));
  return new Set(ofSeveral.filter((key) => typeof key === 'string' && ofOne.has(key)));
}

async function unlinkEach(redis: RedisClient, keys: readonly string[]): Promise<void> {
  await Promise.all(keys.map((key) => redis.unlink(key)));
}

/** Puts the copies in place. */
export async function renameStaged({ redis, staged, to, onProgress }: Move): Promise<void> {
  for (const [index, { prefix }] of staged.entries()) {
    onProgress('putting the copies in place', index, to);
    const base = prefix.slice(0, -STAGING.length);
    // SCAN may miss keys while others are renamed: until none is left.
    for (let left = true; left; ) {
      left = false;
      for await (const keys of scanKeys(redis, `${prefix}:*`)) {
        left = true;
        for (const key of keys) await renameOnce(redis, key, base + key.slice(prefix.length));
      }
    }
  }
}

/** SCAN may return a key twice, and a key may expire. */
async function renameOnce(redis: RedisClient, from: string, to: string): Promise<void> {
  try {
    await redis.rename(from, to);
  } catch (error) {
    if (!String(error).includes('no such key')) throw error;
  }
}
