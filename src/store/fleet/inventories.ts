import { createHash } from 'node:crypto';
import {
  compactLockfile,
  decodeLockfileIds,
  type ExpandedLockfile,
  encodeLockfileIds,
  expandLockfile,
  type LockfileIds,
} from '../../fleet/compact-lockfile.ts';
import { identitiesOf } from '../../fleet/identity.ts';
import type { CompactLockfile } from '../../model/fleet/compact-lockfile.ts';
import type { ResolvedLockfile } from '../../model/scan/inventory.ts';
import { LOCKFILE_INVENTORY } from '../../model/stored/catalog.ts';
import type { PackedLockfile } from '../../model/stored/kind.ts';
import { StoreError } from '../errors.ts';
import type { Keys } from '../keys.ts';
import type { RedisClient } from '../redis/connection.ts';
import { readValue, type StoredPlace, writeLargeValue } from '../values/stored-values.ts';
import type { PackageIds } from './package-ids.ts';

/** A lockfile's inventory as it is stored. */
export interface PackedInventory extends PackedLockfile {
  /** SHA-256 of both parts, hex: the key of the inventory. */
  readonly hash: string;
  /** Its largest package id and the identity that it was given out for. Absent without packages. */
  readonly newest: readonly [id: number, identity: string] | undefined;
}

export interface StoredLockfile {
  readonly ids: LockfileIds;
  readonly rest: CompactLockfile;
}

/** The compact inventories of lockfiles. They are written and removed together with the states of targets. */
export interface Inventories {
  pack(file: ResolvedLockfile): Promise<PackedInventory>;
  /** Forgets the ids in the memory of this process, because Redis has lost some of them. */
  forgetIds(): void;
  /** Throws `state-corrupt` when it is damaged or absent. */
  read(hash: string): Promise<ExpandedLockfile>;
  /** The same of what `pack` returned. */
  expand(packed: PackedLockfile, place: StoredPlace): Promise<ExpandedLockfile>;
  /** The same as it is stored, without the names of its packages. */
  compact(hash: string): Promise<StoredLockfile>;
  /** The id lists of all lockfiles by the key of their inventory, in parts; `decodeLockfileIds` reads them. */
  idLists(): AsyncGenerator<ReadonlyMap<string, Buffer>>;
  /** The same of some lockfiles; absent ones are left out. */
  idListsOf(hashes: readonly string[]): Promise<ReadonlyMap<string, Buffer>>;
}

export function createInventories(redis: RedisClient, keys: Keys, packageIds: PackageIds): Inventories {
  const expandIds = async (
    { ids, rest }: StoredLockfile,
    { key }: StoredPlace,
  ): Promise<ExpandedLockfile> => {
    const identities = await packageIds.identities([...ids.lookedUp, ...ids.excluded]);
    const packages = await orDamaged(key, () => expandLockfile(rest, identities));
    return { format: rest.format, problems: rest.problems, packages };
  };
  const decode = async ({ ids, rest }: PackedLockfile, place: StoredPlace): Promise<StoredLockfile> => {
    const read = await readValue(LOCKFILE_INVENTORY, rest, place);
    return { ids: await orDamaged(place.key, () => decodeLockfileIds(ids)), rest: read };
  };
  const placeOf = (hash: string): StoredPlace => ({
    key: keys.lockfileInventory(hash),
    remedy: 'Scan its targets again.',
  });
  const compact = async (hash: string): Promise<StoredLockfile> => {
    const place = placeOf(hash);
    const [ids, rest] = await Promise.all([
      redis.hgetBuffer(keys.idLists(bucketOf(hash)), hash),
      redis.getBuffer(place.key),
    ]);
    if (ids === null || rest === null) throw damaged(place.key, 'it is absent');
    return await decode({ ids, rest }, place);
  };
  const readBucket = (bucket: number): Promise<Record<string, Buffer>> => {
    const found = redis.hgetallBuffer(keys.idLists(bucket));
    // A caller that ends early does not wait for it.
    found.catch(() => {});
    return found;
  };
  return {
    async pack(file) {
      const identities = await identitiesOf(file.packages);
      const interned = await packageIds.intern(identities);
      const { ids, rest } = await compactLockfile(file, identities, interned);
      const [encoded, written] = [encodeLockfileIds(ids), await writeLargeValue(LOCKFILE_INVENTORY, rest)];
      const hash = createHash('sha256').update(encoded).update(written).digest('hex');
      return { hash, ids: encoded, rest: written, newest: newestOf(identities, interned) };
    },
    forgetIds: packageIds.clear,
    compact,
    read: async (hash) => expandIds(await compact(hash), placeOf(hash)),
    expand: async (packed, place) => expandIds(await decode(packed, place), place),
    async idListsOf(hashes) {
      const found = new Map<string, Buffer>();
      for (const [bucket, group] of Map.groupBy(hashes, bucketOf)) {
        const lists = await redis.hmgetBuffer(keys.idLists(bucket), ...group);
        for (const [index, hash] of group.entries()) {
          const list = lists[index];
          if (list != null) found.set(hash, list);
        }
      }
      return found;
    },
    async *idLists() {
      // The next buckets are on their way while the caller passes over one.
      const coming: Promise<Record<string, Buffer>>[] = [];
      for (let bucket = 0; bucket < BUCKETS || coming.length > 0; bucket += 1) {
        if (bucket < BUCKETS) coming.push(readBucket(bucket));
        if (bucket < AHEAD) continue;
        yield new Map(Object.entries((await coming.shift()) ?? {}));
      }
    },
  };
}

/** Hashes that hold the id lists: a pass over all lists reads each with one command. */
const BUCKETS = 256;
/** Buckets that are requested before they are needed: some hundred kilobytes in a large fleet. */
const AHEAD = 8;

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
    `The lockfile inventory ${key} cannot be read (${what}). Scan its targets again.`,
    { cause },
  );
}
