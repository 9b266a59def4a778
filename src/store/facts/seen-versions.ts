import { hash } from 'node:crypto';
import type { SeenVersions } from '../../model/ports/shared-state.ts';
import { chunks } from '../../model/yielding.ts';
import type { Keys } from '../keys.ts';
import { valuesOf } from '../queue-depths.ts';
import type { RedisClient } from '../redis/connection.ts';
import { defineScript, runScript } from '../scripts/run-script.ts';

/**
 * Sets of integers in buckets: Redis keeps a set of up to 512 integers as a sorted array of 8 bytes each. All buckets
 * together hold 8 million versions in about 70 MB at most.
 */
const BUCKETS = 16_384;
const BUCKET_ENTRIES = 500;

/** Keys in one command: longer commands would block Redis. */
const CHUNK = 500;

/**
 * Seen versions in Redis: 64 bits of a hash for each, which never expire. A full bucket drops entries at random; those that
 * targets still lock are added again by the next look-up, a few hours later.
 */
export function createSeenVersions(redis: RedisClient, { seen: keyOf }: Pick<Keys, 'seen'>): SeenVersions {
  return {
    async add(names) {
      for (const part of chunks(names, CHUNK)) {
        const members = Map.groupBy(part.map(placeOf), ({ bucket }) => bucket);
        await runScript(redis, ADD_SEEN, [...members.keys()].map(keyOf), [
          BUCKET_ENTRIES,
          ...[...members.values()].flatMap((own) => [own.length, ...own.map(({ member }) => member)]),
        ]);
      }
    },
    async has(names) {
      const found: boolean[] = [];
      for (const part of chunks(names, CHUNK)) {
        const pipeline = redis.pipeline();
        for (const { bucket, member } of part.map(placeOf)) pipeline.sismember(keyOf(bucket), member);
        for (const answer of valuesOf(await pipeline.exec())) found.push(answer === 1);
      }
      return found;
    },
  };
}

interface Place {
  readonly bucket: number;
  /** 50 bits, as text. */
  readonly member: string;
}

function placeOf(name: string): Place {
  const bits = hash('sha256', name, 'buffer').readBigUInt64BE();
  return { bucket: Number(bits % BigInt(BUCKETS)), member: String(bits / BigInt(BUCKETS)) };
}

/**
 * Adds members to sets, and drops random members of sets that are then larger than the bound.
 *
 * Keys: sets. Arguments: bound of each, then for each set the number of its new members and these.
 */
const ADD_SEEN = defineScript(`
local at = 2
for _, key in ipairs(KEYS) do
  local count = tonumber(ARGV[at])
  if redis.call('SADD', key, unpack(ARGV, at + 1, at + count)) > 0 then
    local excess = redis.call('SCARD', key) - tonumber(ARGV[1])
    if excess > 0 then
      redis.call('SPOP', key, excess)
    end
  end
  at = at + count + 1
end
return #KEYS
`);
