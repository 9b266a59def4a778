import type { ChainableCommander } from 'ioredis';
import { headOf, namedIds, withOtherIds } from '../../fleet/ledger/ledger-entries.ts';
import type { ObjectStorage } from '../../model/ports/object-storage.ts';
import { createLedger, headKeys, placeOf, writeBlock, writeHead } from '../../store/fleet/ledger.ts';
import { isReference, readReference } from '../../store/fleet/ledger-reference.ts';
import type { PackageIds } from '../../store/fleet/package-ids.ts';
import type { Keys } from '../../store/keys.ts';
import type { RedisClient } from '../../store/redis/connection.ts';

interface LedgerCopy {
  readonly target: string;
  readonly source: Keys;
  readonly keys: Keys;
  readonly storage: ObjectStorage | undefined;
  readonly from: PackageIds;
  readonly to: PackageIds;
}

/** Entries of a block. */
const BLOCK = 16;

/**
 * Adds the ledger of a target to what is written, with the package ids of the other shard. Its blocks are in Redis then, and the objects that
 * had them are not used any more. Throws `state-corrupt` and `storage-away`.
 */
export async function copyLedger(
  redis: RedisClient,
  step: ChainableCommander,
  { target, source, keys, storage, from, to }: LedgerCopy,
): Promise<void> {
  const entries = await createLedger(redis, source, storage).read(target, (error) => {
    throw error;
  });
  const stored = await redis.lrangeBuffer(source.ledger(target), 0, -1);
  const place = placeOf(source, target);
  for (const one of stored.filter(isReference))
    step.hset(keys.unusedObjects, (await readReference(one, place)).object, 0);
  const ids = [...namedIds(entries)];
  const identities = await from.identities(ids);
  const known = ids.flatMap((id, index) => {
    const identity = identities[index];
    return identity === undefined ? [] : [[id, identity] as const];
  });
  const given = await to.intern(known.map(([, identity]) => identity));
  const others = new Map(known.map(([id], index) => [id, given[index] as number]));
  const moved = withOtherIds(entries, others);
  for (let at = 0; at < moved.length; at += BLOCK)
    step.rpush(keys.ledger(target), await writeBlock(moved.slice(at, at + BLOCK)));
  const head = headOf(moved);
  const parts = head === undefined ? [] : writeHead(head);
  for (const [at, key] of headKeys(keys, target).entries()) {
    const part = parts[at];
    if (part !== undefined) step.hset(key, target, part);
  }
}
