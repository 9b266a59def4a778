import { createHash } from 'node:crypto';
import {
  compactLockfile,
  decodeLockfileIds,
  type ExpandedLockfile,
  encodeLockfileIds,
  expandLockfile,
  type LockfileIds,
  type NamedLockfile,
  namedLockfile,
} from '../../fleet/compact-lockfile.ts';
import { identityOf } from '../../fleet/identity.ts';
import type { CompactLockfile } from '../../model/fleet/compact-lockfile.ts';
import type { ResolvedLockfile } from '../../model/scan/inventory.ts';
import { LOCKFILE_INVENTORY } from '../../model/stored/catalog.ts';
import { awaitedLater } from '../../model/time-limit.ts';
import { mapInSlices } from '../../model/yielding.ts';
import { StoreError } from '../errors.ts';
import type { Keys } from '../keys.ts';
import type { RedisClient } from '../redis/connection.ts';
import { readHash } from '../redis/scan.ts';
import { readValue, writeLargeValue } from '../values/stored-values.ts';
import type { PackageIds } from './package-ids.ts';

/** A lockfile's inventory as it is stored. */
export interface PackedInventory {
  /** The ids of its packages, and the rest. */
  readonly ids: Buffer;
  readonly rest: Buffer | string;
  /** SHA-256 of both parts, hex: the key of the inventory. */
  readonly hash: string;
  /** The two parts as they were before. */
  readonly lockfile: StoredLockfile;
  /** Its largest package id and the identity that it was given out for. Absent without packages. */
  readonly newest: readonly [id: number, identity: string] | undefined;
}

export interface StoredLockfile {
  readonly ids: LockfileIds;
  readonly rest: CompactLockfile;
}

/** The compact inventories of lockfiles. They are written and removed together with the states of targets. */
export type Inventories = ReturnType<typeof createInventories>;

export function createInventories(redis: RedisClient, keys: Keys, packageIds: PackageIds) {
  /** The inventory as it is stored, without the names of its packages. Throws `state-corrupt` when it is damaged or absent. */
  const compact = async (hash: string): Promise<StoredLockfile> => {
    const place = { key: keys.lockfileInventory(hash), remedy: REMEDY };
    const [ids, rest] = await Promise.all([
      redis.hgetBuffer(keys.idLists(bucketOf(hash)), hash),
      redis.getBuffer(place.key),
    ]);
    if (ids === null || rest === null) throw damaged(place.key, 'it is absent');
    const read = await readValue(LOCKFILE_INVENTORY, rest, place);
    return { ids: await orDamaged(place.key, () => decodeLockfileIds(ids)), rest: read };
  };
  /** The inventory with the names of its packages. Throws `state-corrupt` when it is damaged or absent. */
  const named = async (hash: string): Promise<NamedLockfile> => {
    const { ids, rest } = await compact(hash);
    const identities = await packageIds.identities([...ids.lookedUp, ...ids.excluded]);
    return await orDamaged(keys.lockfileInventory(hash), () => namedLockfile(rest, identities));
  };
  /** The id lists of some lockfiles by the key of their inventory; absent ones are left out. */
  const idListsOf = async (hashes: readonly string[]): Promise<ReadonlyMap<string, Buffer>> => {
    const parts = [...Map.groupBy(hashes, bucketOf)].map(async ([bucket, group]) => {
      const lists = await redis.hmgetBuffer(keys.idLists(bucket), ...group);
      return group.map((hash, index) => [hash, lists[index]] as const);
    });
    return new Map((await Promise.all(parts)).flat().filter(isFound));
  };
  const readBuckets = (from: number): readonly Promise<ReadonlyMap<string, Buffer>>[] =>
    Array.from({ length: Math.min(AT_ONCE, BUCKETS - from) }, (_, index) =>
      awaitedLater(readHash(redis, keys.idLists(from + index))),
    );
  return {
    async pack(file: ResolvedLockfile): Promise<PackedInventory> {
      const identities = await mapInSlices(file.packages, identityOf);
      const interned = await packageIds.intern(identities);
      const { ids, rest } = await compactLockfile(file, identities, interned);
      const [encoded, written] = [encodeLockfileIds(ids), await writeLargeValue(LOCKFILE_INVENTORY, rest)];
      const hash = createHash('sha256').update(encoded).update(written).digest('hex');
      return {
        hash,
        ids: encoded,
        rest: written,
        lockfile: { ids, rest },
        newest: newestOf(identities, interned),
      };
    },
    /** Forgets the ids in the memory of this process, because Redis has lost some of them. */
    forgetIds: packageIds.clear,
    compact,
    named,
    /** Throws `state-corrupt` when it is damaged or absent. */
    async read(hash: string): Promise<ExpandedLockfile> {
      const lockfile = await named(hash);
      const { format, problems } = lockfile.rest;
      return { format, problems, packages: await expandLockfile(lockfile) };
    },
    idListsOf,
    /** The id lists of all lockfiles, in parts; `decodeLockfileIds` reads them. */
    async *idLists(): AsyncGenerator<ReadonlyMap<string, Buffer>> {
      // Most buckets of a small fleet are empty. Where the uses of inventories are lost, their lists are not.
      const [stored, targets] = [await redis.hlen(keys.inventoryUses), await redis.scard(keys.targets)];
      if (stored < BUCKETS && (stored > 0 || targets === 0))
        return yield await idListsOf(await redis.hkeys(keys.inventoryUses));
      // The next buckets are on their way while the caller passes over some. They are requested in one write.
      let coming = readBuckets(0);
      for (let next = AT_ONCE; coming.length > 0; next += AT_ONCE) {
        const parts = coming;
        coming = readBuckets(next);
        for (const lists of parts) yield await lists;
      }
    },
  };
}

function isFound(entry: readonly [string, Buffer | null | undefined]): entry is readonly [string, Buffer] {
  return entry[1] != null;
}

const REMEDY = 'A scan of its targets replaces it once the lockfile has changed.';

/** Hashes that hold the id lists: a pass over all lists reads each with one command. */
const BUCKETS = 256;
/** Buckets that are requested together: some megabytes in a large fleet. */
const AT_ONCE = 8;

/** The bucket of an inventory's id list: the first byte of its key. */
export function bucketOf(hash: string): number {
  return Number.parseInt(hash.slice(0, 2), 16);
}

function newestOf(identities: readonly string[], ids: readonly number[]): PackedInventory['newest'] {
  let newest = 0;
  for (const id of ids) if (id > newest) newest = id;
  return newest === 0 ? undefined : [newest, identities[ids.indexOf(newest)] as string];
}

async function orDamaged<Result>(key: string, read: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof RangeError) throw damaged(key, error.message, error);
    throw error;
  }
}

function damaged(key: string, what: string, cause?: unknown): StoreError {
  return new StoreError(
    'state-corrupt',
    `The lockfile inventory ${key} cannot be read (${what}). ${REMEDY}`,
    { cause },
  );
}

/** The error for an id list that cannot be decoded, by the key of its inventory. Throws `cause` when that is no `RangeError`. */
export function damagedIds(hash: string, cause: unknown): StoreError {
  if (!(cause instanceof RangeError)) throw cause;
  const message = `The package ids of the lockfile inventory ${hash} cannot be read (${cause.message}). ${REMEDY}`;
  return new StoreError('state-corrupt', message, { cause });
}
