import { hash } from 'node:crypto';
import { encodeIds } from '../../fleet/id-list.ts';
import type { LedgerHead } from '../../fleet/ledger/ledger-entries.ts';
import type { LedgerEntry } from '../../model/fleet/ledger.ts';
import { LEDGER_BLOCK } from '../../model/stored/catalog.ts';
import type { Keys } from '../keys.ts';
import type { RedisClient } from '../redis/connection.ts';
import { compress, recogniseCompression } from '../values/compression.ts';
import { type OnUnreadable, readValue, reportTo, writeText } from '../values/stored-values.ts';

/** Hashes that hold the heads of ledgers: a pass over all heads reads each with one command. */
const BUCKETS = 256;
/** Buckets that are requested before they are needed. */
const AHEAD = 4;

/** The head of a ledger as it is stored. */
export interface StoredHead {
  /** Seconds since 1970. */
  readonly since: number;
  /** As `encodeIds` writes them. */
  readonly ids: Buffer;
}

/**
 * The ledgers: the changes of each target by its scans. A ledger is written together with the states of targets
 * (`ledger-writer.ts`).
 */
export type Ledger = ReturnType<typeof createLedger>;

export function createLedger(redis: RedisClient, keys: Keys) {
  return {
    /**
     * The entries of a target, in the order in which they were saved. Of a block that cannot be read, which is reported, the entries are
     * left out, and the next one is a `start`.
     */
    async read(target: string, onUnreadable: OnUnreadable = () => {}): Promise<readonly LedgerEntry[]> {
      const stored = await redis.lrangeBuffer(keys.ledger(target), 0, -1);
      const entries: LedgerEntry[] = [];
      let isCut = false;
      for (const one of stored) {
        const block = await readBlock(keys, target, one).catch(reportTo(onUnreadable));
        if (block === undefined) {
          isCut = true;
          continue;
        }
        const [first, ...others] = block;
        if (first !== undefined) entries.push(isCut ? { ...first, start: true } : first, ...others);
        isCut = false;
      }
      return entries;
    },
    /** The head of each target, in parts. */
    async *heads(): AsyncGenerator<ReadonlyMap<string, StoredHead>> {
      const coming: Promise<Record<string, Buffer>>[] = [];
      const read = (bucket: number) => {
        const found = redis.hgetallBuffer(keys.ledgerHeads(bucket));
        // A caller that ends early does not wait for it.
        found.catch(() => {});
        return found;
      };
      for (let bucket = 0; bucket < BUCKETS || coming.length > 0; bucket += 1) {
        if (bucket < BUCKETS) coming.push(read(bucket));
        if (bucket < AHEAD) continue;
        const heads = Object.entries((await coming.shift()) ?? {});
        yield new Map(
          heads.flatMap(([target, stored]) => (stored.length < 4 ? [] : [[target, storedHead(stored)]])),
        );
      }
    },
  };
}

/** The bucket of the head of a target's ledger. */
export function headBucketOf(target: string): number {
  return Number.parseInt(hash('sha256', target).slice(0, 2), 16);
}

/** A block of several entries is compressed, and one of a single entry is text, so that these are counted without reading them. */
export async function writeBlock(entries: readonly LedgerEntry[]): Promise<Buffer> {
  const text = Buffer.from(writeText(LEDGER_BLOCK, { entries }));
  return entries.length === 1 ? text : await compress(text);
}

/** The elements at the end of a ledger that have a single entry. */
export function singlesIn(tail: readonly Buffer[]): readonly Buffer[] {
  return tail.slice(tail.findLastIndex((stored) => recogniseCompression(stored) !== 'none') + 1);
}

/** Throws `state-corrupt` or `state-newer`. */
export async function readBlock(keys: Keys, target: string, stored: Buffer): Promise<readonly LedgerEntry[]> {
  const place = { key: keys.ledger(target), remedy: 'Delete the key to forget the history of the target.' };
  return (await readValue(LEDGER_BLOCK, stored, place)).entries;
}

export function writeHead({ since, ids }: LedgerHead): Buffer {
  const first = Buffer.alloc(4);
  first.writeUInt32LE(since);
  return Buffer.concat([first, encodeIds(ids)]);
}

export function storedHead(stored: Buffer): StoredHead {
  return { since: stored.readUInt32LE(0), ids: stored.subarray(4) };
}
