import { messageOf } from '../../model/errors.ts';
import type { ObjectStorage } from '../../model/ports/object-storage.ts';
import { chunks } from '../../model/yielding.ts';
import type { Keys } from '../keys.ts';
import type { RedisClient } from '../redis/connection.ts';
import { scanFields, scanParts } from '../redis/scan.ts';
import { defineScript, runScript } from '../scripts/run-script.ts';
import { recogniseCompression } from '../values/compression.ts';
import { reportTo } from '../values/stored-values.ts';
import { readBlock, storedBlocks } from './ledger.ts';
import { digestOf, newObject, storageAway, writeReference } from './ledger-reference.ts';

export interface ArchiveOptions {
  readonly storage: ObjectStorage;
  /** Blocks are archived when their last entry is older than this, in ms. */
  readonly afterMs: number;
  readonly now?: () => number;
}

/** The numbers of a pass: blocks that left Redis, and objects that were removed. */
export interface ArchivedLedgers {
  readonly archived: number;
  readonly removed: number;
}

/** A worker has written an object and its reference within this time, or it is dead. */
const WRITING_MS = 3_600_000;
const MAX_ERROR = 300;
/** Ledgers that are archived at the same time. */
const PART = 8;

/**
 * Writes old blocks of all ledgers to the storage and replaces them by references. Safe while scans run, and after a crash at any point:
 * an object is listed as unused before it is written, the script that writes its reference takes it off that list, and a script that drops
 * a reference lists it again. What is on the list is removed. Throws `storage-away`; the next pass does the rest. `lastArchive` reads how
 * the last pass ended.
 */
export function createLedgerArchive(
  redis: RedisClient,
  keys: Keys,
  { storage, afterMs, now = Date.now }: ArchiveOptions,
) {
  const removeUnused = async (): Promise<number> => {
    let removed = 0;
    for await (const [object, time] of scanFields(redis, keys.unusedObjects)) {
      if (Number(time) > now() - WRITING_MS) continue;
      await storage.remove(object);
      removed += await redis.hdel(keys.unusedObjects, object);
    }
    return removed;
  };
  /** Resolves to false when the ledger changed meanwhile. */
  const move = async (target: string, index: number, block: Buffer, until: number): Promise<boolean> => {
    const object = newObject();
    await redis.hset(keys.unusedObjects, object, now());
    await storage.put(object, block);
    const written = await storage.get(object);
    if (written?.equals(block) !== true)
      throw new RangeError('it returns other bytes than those that were written');
    const reference = writeReference({ object, sha256: digestOf(block), until });
    const touched = [keys.ledger(target), keys.unusedObjects];
    if ((await runScript(redis, REFER, touched, [index, block, reference, object])) === 1) return true;
    // Another pass may have taken it off the list.
    await storage.remove(object);
    await redis.hdel(keys.unusedObjects, object);
    return false;
  };
  /** Adds to the numbers of a pass. `waiting`: blocks that are old enough and stay in Redis. After a fault the rest is only counted. */
  const archive = async (target: string, pass: Pass): Promise<void> => {
    // Readers report what cannot be read.
    const all = (await storedBlocks(redis, keys, target).catch(reportTo(() => {}))) ?? [];
    for (const [index, stored] of all.entries()) {
      if (recogniseCompression(stored) === 'none') continue;
      const entries = await readBlock(keys, target, stored).catch(reportTo(() => {}));
      const until = entries?.at(-1)?.at;
      if (until === undefined) continue;
      if (until * 1_000 > now() - afterMs) break;
      const isMoved =
        pass.fault === undefined &&
        (await move(target, index, stored, until).catch((fault) => {
          pass.fault ??= fault;
          return false;
        }));
      pass.archived += Number(isMoved);
      pass.waiting += Number(pass.fault !== undefined && !isMoved);
    }
  };
  return async (): Promise<ArchivedLedgers> => {
    const pass: Pass = { archived: 0, waiting: 0 };
    const removed = await removeUnused().catch((fault) => {
      pass.fault = fault;
      return 0;
    });
    for await (const targets of scanParts(redis, 'SSCAN', keys.targets)) {
      for (const part of chunks(targets, PART)) {
        const done = await Promise.allSettled(part.map(([target]) => archive(target, pass)));
        for (const one of done) if (one.status === 'rejected') throw one.reason;
      }
    }
    const error = pass.fault === undefined ? '' : messageOf(pass.fault).slice(0, MAX_ERROR);
    const ended = { waiting: pass.waiting, error, ...(error === '' ? { succeededAt: now() } : {}) };
    await redis.hset(keys.ledgerArchive, ended);
    if (error === '') return { archived: pass.archived, removed };
    throw storageAway(`old blocks of ledgers stay in Redis (${error})`, pass.fault);
  };
}

interface Pass {
  archived: number;
  waiting: number;
  /** The first one. */
  fault?: unknown;
}

/** How the last pass over the ledgers ended. */
export interface LastArchive {
  /** ms since 1970; absent when no pass succeeded yet. */
  readonly succeededAt?: number;
  /** Why the last pass failed. */
  readonly error?: string;
  /** Blocks that are old enough and stay in Redis, as the last pass counted them. */
  readonly waiting: number;
}

/** `undefined` when no pass has ended yet. */
export async function lastArchive(redis: RedisClient, keys: Keys): Promise<LastArchive | undefined> {
  const { waiting, error = '', succeededAt } = await redis.hgetall(keys.ledgerArchive);
  if (waiting === undefined) return undefined;
  return {
    waiting: Number(waiting),
    ...(error === '' ? {} : { error }),
    ...(succeededAt === undefined ? {} : { succeededAt: Number(succeededAt) }),
  };
}

/**
 * Replaces an element of a ledger by a reference to an object, which is used from then on. Returns 1, or 0 when the ledger has another
 * element there or the object is being removed.
 *
 * Keys: ledger, unused objects. Arguments: index, element, reference, name of the object.
 */
const REFER = defineScript(`
if redis.call('LINDEX', KEYS[1], ARGV[1]) ~= ARGV[2] or redis.call('HDEL', KEYS[2], ARGV[4]) == 0 then
  return 0
end
redis.call('LSET', KEYS[1], ARGV[1], ARGV[3])
return 1
`);
