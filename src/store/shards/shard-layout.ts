import { crc32 } from 'node:zlib';
import { releasedTarget } from '../../model/fleet/release.ts';
import type { ShardLayout } from '../../model/fleet/shard-layout.ts';
import { SHARD_LAYOUT } from '../../model/stored/catalog.ts';
import { StoreError } from '../errors.ts';
import { createKeys } from '../keys.ts';
import type { RedisClient } from '../redis/connection.ts';
import { defineScript, runScript } from '../scripts/run-script.ts';
import { readValue, writeText } from '../values/stored-values.ts';

/** The shard of a target and of its releases: CRC-32 (IEEE 802.3, as in zlib) of the target's id in UTF-8, modulo the number of shards. */
export function shardOf(target: string, count: number): number {
  return crc32(releasedTarget(target)) % count;
}

/** The stored number of shards, and the workers that rely on it. */
export type ShardLayouts = ReturnType<typeof createShardLayouts>;

/** `prefix`: `redis.prefix`. Reads throw `state-corrupt` or `state-newer`. */
export function createShardLayouts(redis: RedisClient, prefix: string) {
  const keys = createKeys(prefix);
  const { shardLayout, workers } = keys;
  const remedy = 'Set it to {"shards":<number>} with the number that all workers used before.';
  const parse = (text: string): Promise<ShardLayout> =>
    readValue(SHARD_LAYOUT, text, { key: shardLayout, remedy });
  const read = async (): Promise<ShardLayout | undefined> => {
    const text = await redis.get(shardLayout);
    return text === null ? undefined : await parse(text);
  };
  return {
    /** `undefined` before the first worker has started with this release. */
    read,
    /**
     * Notes that a worker runs for the next `ttlMs`, when the stored number is `shards` and does not change; else it does not note
     * anything. Stores the number when none is stored. Resolves to what is stored.
     */
    async enter(worker: string, shards: number, ttlMs: number): Promise<ShardLayout> {
      const stored = await runScript(
        redis,
        ENTER,
        [shardLayout, workers, ...keysOfDeployment(keys)],
        [worker, shards, ttlMs, writeText(SHARD_LAYOUT, { shards }), writeText(SHARD_LAYOUT, { shards: 1 })],
      );
      return await parse(String(stored));
    },
    leave: async (worker: string) => void (await redis.zrem(workers, worker)),
    /** Stores a move, unless workers run. Resolves to the ids of these; to none when the move has begun. */
    async begin(layout: ShardLayout): Promise<readonly string[]> {
      const running = await runScript(
        redis,
        BEGIN_MOVE,
        [shardLayout, workers],
        [writeText(SHARD_LAYOUT, layout)],
      );
      return (running as readonly Buffer[]).map(String);
    },
    async write(layout: ShardLayout): Promise<void> {
      await redis.set(shardLayout, writeText(SHARD_LAYOUT, layout));
    },
  };
}

/** Throws `shards-differ` or `shards-moving` for a process that is configured for another number of shards than the stored one. */
export function requireLayout(stored: ShardLayout | undefined, shards: number): void {
  if (stored?.move !== undefined) {
    throw new StoreError('shards-moving', unfinishedMove(stored.move), { retryable: true });
  }
  if (stored === undefined || stored.shards === shards) return;
  throw new StoreError(
    'shards-differ',
    `The targets in Redis are spread over ${stored.shards} ${stored.shards === 1 ? 'shard' : 'shards'}, and redis.shards is ${shards}: ` +
      `set redis.shards to ${stored.shards}, or stop all workers and run \`lockhound shards move ${shards}\`.`,
  );
}

/** Says that a move is not finished, and what to do. */
export function unfinishedMove({ from, to }: NonNullable<ShardLayout['move']>): string {
  return (
    `The number of shards is being changed from ${from} to ${to}: wait for \`lockhound shards move ${to}\`, or run ` +
    'it again if it was interrupted. No worker starts before.'
  );
}

/** Some of these exist in every deployment that ran before. They share the slot of the layout. */
function keysOfDeployment(keys: ReturnType<typeof createKeys>): readonly string[] {
  const queue = `${keys.prefix}:ingest-lockfiles`;
  return [keys.targets, keys.scans, keys.openJobs, keys.rejected, `${queue}:id`, `${queue}:meta`];
}

/**
 * Keys: layout, workers (sorted set), then keys of a deployment. Arguments: worker, its number of shards, how long it counts as
 * running in ms, layout for a new Redis, layout of a deployment without one. Returns the stored layout.
 */
const ENTER = defineScript(`
local stored = redis.call('GET', KEYS[1])
if not stored then
  stored = redis.call('EXISTS', unpack(KEYS, 3)) > 0 and ARGV[5] or ARGV[4]
  redis.call('SET', KEYS[1], stored)
end
local readable, layout = pcall(cjson.decode, stored)
if readable and layout.shards == tonumber(ARGV[2]) and not layout.move then
  local clock = redis.call('TIME')
  redis.call('ZADD', KEYS[2], clock[1] * 1000 + math.floor(clock[2] / 1000) + ARGV[3], ARGV[1])
end
return stored
`);

/** Keys: layout, workers. Argument: layout with the move. Returns the workers that run; the layout is stored when there are none. */
const BEGIN_MOVE = defineScript(`
local clock = redis.call('TIME')
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', clock[1] * 1000 + math.floor(clock[2] / 1000))
local running = redis.call('ZRANGE', KEYS[2], 0, -1)
if #running == 0 then
  redis.call('SET', KEYS[1], ARGV[1])
end
return running
`);
