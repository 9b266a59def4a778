import { crc32 } from 'node:zlib';
import { releasedTarget } from '../../model/fleet/release.ts';

/** A shard: one part of the targets, with its own keys. */
export interface Shard {
  /** From 0. */
  readonly index: number;
  /** Number of all shards (`redis.shards`). */
  readonly count: number;
}

export const ONLY_SHARD: Shard = { index: 0, count: 1 };

export const MAX_SHARDS = 256;

/** The shard of a target and of its releases: CRC-32 (IEEE 802.3, as in zlib) of the target's id in UTF-8, modulo the number of shards. */
export function shardOf(target: string, count: number): number {
  return crc32(releasedTarget(target)) % count;
}
