import { hash } from 'node:crypto';
import { decodeLockfileIds, type LockfileIds } from '../../fleet/compact-lockfile.ts';
import { decodeIds, encodeIds, type IdList } from '../../fleet/id-list.ts';
import { headOf, type LedgerHead } from '../../fleet/ledger/ledger-entries.ts';
import { messageOf } from '../../model/errors.ts';
import type { LedgerEntry } from '../../model/fleet/ledger.ts';
import type { ObjectStorage } from '../../model/ports/object-storage.ts';
import { LEDGER_BLOCK } from '../../model/stored/catalog.ts';
import { awaitedLater } from '../../model/time-limit.ts';
import { chunks } from '../../model/yielding.ts';
import { StoreError } from '../errors.ts';
import type { Keys } from '../keys.ts';
import type { RedisClient } from '../redis/connection.ts';
import { readHash } from '../redis/scan.ts';
import { compress, recogniseCompression } from '../values/compression.ts';
import type { OnUnreadable, StoredPlace } from '../values/stored-values.ts';
import { readValue, reportTo, writeText } from '../values/stored-values.ts';
import type { Inventories } from './inventories.ts';
import { isReference, readReference, readReferred } from './ledger-reference.ts';

/** A head is stored in parts, by the remainder of its ids: a question about a package reads one part of each. */
const PARTS = 8;
/** Hashes that hold a part of the heads: each is read with one command. */
const GROUPS = 32;
/** Hashes that are requested before they are needed. */
const AHEAD = 4;

/**
 * A part of the head of a ledger as it is stored. `since`: seconds since 1970. `ids`: the ids of the part, each divided by the number of
 * parts, as `encodeIds` writes them.
 */
export type StoredHead = ReturnType<typeof storedHead>;

/** One part of the heads of some targets. */
export interface HeadPart {
  readonly heads: ReadonlyMap<string, StoredHead>;
  /** The wanted ids that are in this part, as its ids are stored. */
  readonly wanted: IdList;
  /** The id of a package by a stored id. */
  readonly idOf: (stored: number) => number;
}

/**
 * The ledgers: the changes of each target by its scans. A ledger is written together with the states of targets
 * (`ledger-writer.ts`).
 */
export type Ledger = ReturnType<typeof createLedger>;

/** `storage`: has the blocks that are not in Redis. */
export function createLedger(redis: RedisClient, keys: Keys, storage?: ObjectStorage) {
  return {
    /**
     * The entries of a target, in the order in which they were saved. Of a block that cannot be read, which is reported, the entries are
     * left out, and the next one is a `start`. Where nothing follows, a `start` of no scan has the time of its last entry, if that is
     * known, or of now.
     */
    async read(target: string, onUnreadable: OnUnreadable = () => {}): Promise<readonly LedgerEntry[]> {
      const entries: LedgerEntry[] = [];
      let isCut = false;
      const report = reportTo(onUnreadable);
      const stored = (await storedBlocks(redis, keys, target).catch(report)) ?? [];
      const blocks = stored.map((one) => readBlock(keys, target, one, storage).catch(report));
      for (const block of await Promise.all(blocks)) {
        if (block === undefined) {
          isCut = true;
          continue;
        }
        const [first, ...others] = block;
        if (first !== undefined) entries.push(isCut ? { ...first, start: true } : first, ...others);
        isCut = false;
      }
      const last = stored.at(-1);
      if (isCut && last !== undefined) entries.push(await endOf(last, placeOf(keys, target)));
      return entries;
    },
    /**
     * The heads of all targets; `wanted`: only the parts in which these ids are, and one where there are none. Without `onUnreadable`, throws
     * `state-corrupt` where a key has another type.
     */
    async *heads(wanted?: Iterable<number>, onUnreadable?: OnUnreadable): AsyncGenerator<HeadPart> {
      const ids = wanted && Uint32Array.from(wanted).sort();
      const parts = [...Array(PARTS).keys()].filter((part) => ids?.some((id) => id % PARTS === part) ?? true);
      const places = (parts.length === 0 ? [0] : parts).flatMap((part) =>
        Array.from({ length: GROUPS }, (_, group) => ({ part, key: keys.ledgerHeads(part, group) })),
      );
      const coming: Promise<ReadonlyMap<string, Buffer> | undefined>[] = [];
      const read = async (key: string) => {
        const found = readHash(redis, key).catch(wrongType(placeOfHeads(key), 'hash'));
        return await (onUnreadable === undefined ? found : found.catch(reportTo(onUnreadable)));
      };
      for (const [at, { part }] of places.entries()) {
        for (let next = at + coming.length; next < Math.min(at + AHEAD, places.length); next += 1)
          coming.push(awaitedLater(read(places[next]?.key ?? '')));
        const heads = [...((await coming.shift()) ?? [])];
        yield {
          heads: new Map(
            heads.flatMap(([target, stored]) => (stored.length < 4 ? [] : [[target, storedHead(stored)]])),
          ),
          wanted: (ids ?? new Uint32Array())
            .filter((id) => id % PARTS === part)
            .map((id) => (id - part) / PARTS),
          idOf: (stored) => stored * PARTS + part,
        };
      }
    },
  };
}

/** The hashes that have the parts of the head of a target's ledger, in the order of the parts. */
export function headKeys(keys: Keys, target: string): readonly string[] {
  const group = Number.parseInt(hash('sha256', target).slice(0, 2), 16) % GROUPS;
  return Array.from({ length: PARTS }, (_, part) => keys.ledgerHeads(part, group));
}

/** Stands for a lost end of a ledger: what the target held after it follows from what it holds now. */
async function endOf(stored: Buffer, place: StoredPlace): Promise<LedgerEntry> {
  const until = isReference(stored) ? await readReference(stored, place).catch(() => undefined) : undefined;
  return { at: until?.until ?? Math.floor(Date.now() / 1_000), scan: '', start: true };
}

/** Entries of a block. */
export const BLOCK = 16;

/** The elements of a ledger with these entries, and its head as fields of hashes. */
export async function writeLedger(keys: Keys, target: string, entries: readonly LedgerEntry[]) {
  const head = headOf(entries);
  const blocks = await Promise.all(chunks(entries, BLOCK).map(writeBlock));
  return { blocks, heads: head === undefined ? [] : headFields(keys, target, head) };
}

/** A block of several entries is compressed, and one of a single entry is text, so that these are counted without reading them. */
export async function writeBlock(entries: readonly LedgerEntry[]): Promise<Buffer> {
  const text = Buffer.from(writeText(LEDGER_BLOCK, { entries }));
  return entries.length === 1 ? text : await compress(text);
}

/** The elements at the end of a ledger that have a single entry. */
export function singlesIn(tail: readonly Buffer[]): readonly Buffer[] {
  const isBlock = (stored: Buffer) => recogniseCompression(stored) !== 'none' || isReference(stored);
  return tail.slice(tail.findLastIndex(isBlock) + 1);
}

/** The elements of a ledger. Throws `state-corrupt` for a key that holds no list. */
export async function storedBlocks(
  redis: RedisClient,
  keys: Keys,
  target: string,
): Promise<readonly Buffer[]> {
  return await redis.lrangeBuffer(keys.ledger(target), 0, -1).catch(wrongType(placeOf(keys, target), 'list'));
}

/** Returns a function that throws `state-corrupt` for the error of a key of another type, and any other error as it is. */
export function wrongType({ key, remedy }: StoredPlace, type: 'list' | 'hash'): (cause: unknown) => never {
  return (cause) => {
    if (!messageOf(cause).includes('WRONGTYPE')) throw cause;
    throw new StoreError('state-corrupt', `Redis key ${key} holds no ${type}. ${remedy}`, { cause });
  };
}

/** The place of a part of the heads of many ledgers, for errors. */
export function placeOfHeads(key: string): StoredPlace {
  return { key, remedy: 'Delete the key: the ledgers of its targets begin again with their next scans.' };
}

/** The place of a ledger, for errors. */
export function placeOf(keys: Keys, target: string): StoredPlace {
  return { key: keys.ledger(target), remedy: 'Delete the key to forget the history of the target.' };
}

/** Throws `state-corrupt`, `state-newer` or `storage-away`. */
export async function readBlock(
  keys: Keys,
  target: string,
  stored: Buffer,
  storage?: ObjectStorage,
): Promise<readonly LedgerEntry[]> {
  const place = placeOf(keys, target);
  const block = isReference(stored) ? await readReferred(stored, place, storage) : stored;
  return (await readValue(LEDGER_BLOCK, block, place)).entries;
}

/** The ids of the packages of lockfiles by the key of their inventory. Those that are absent or damaged are left out. */
export async function idsOfLockfiles(
  { idListsOf }: Pick<Inventories, 'idListsOf'>,
  lockfiles: readonly { readonly inventory?: string }[],
): Promise<ReadonlyMap<string, LockfileIds>> {
  const lists = await idListsOf([...new Set(lockfiles.flatMap(({ inventory }) => inventory ?? []))]);
  const found = new Map<string, LockfileIds>();
  for (const [inventory, list] of lists) {
    try {
      found.set(inventory, decodeLockfileIds(list));
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
  }
  return found;
}

/** The hashes that have the parts of a head, with the values of their fields. */
export function headFields(keys: Keys, target: string, { since, ids }: LedgerHead) {
  const first = Buffer.alloc(4);
  // A producer or a commit may state a time before 1970.
  first.writeUInt32LE(Math.max(0, since));
  return headKeys(keys, target).map((key, part) => {
    const own = ids.filter((id) => id % PARTS === part).map((id) => (id - part) / PARTS);
    return [key, Buffer.concat([first, encodeIds(own)])] as const;
  });
}

/** Reads the parts that `headFields` wrote; `undefined` when a part is absent. */
export function readHead(parts: readonly (Buffer | null)[]): LedgerHead | undefined {
  const read = parts.map((one) => (one === null || one.length < 4 ? undefined : storedHead(one)));
  if (read[0] === undefined || read.includes(undefined)) return undefined;
  const ids = read.flatMap((one, part) =>
    Array.from(decodeIds(one?.ids ?? Buffer.alloc(0)), (id) => id * PARTS + part),
  );
  return { since: read[0].since, ids: Uint32Array.from(ids).sort() };
}

function storedHead(stored: Buffer) {
  return { since: stored.readUInt32LE(0), ids: stored.subarray(4) };
}
