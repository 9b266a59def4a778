import { headOf } from '../../fleet/ledger/ledger-entries.ts';
import type { LedgerEntry } from '../../model/fleet/ledger.ts';
import type { ObjectStorage } from '../../model/ports/object-storage.ts';
import { chunks } from '../../model/yielding.ts';
import type { Keys } from '../keys.ts';
import type { RedisClient } from '../redis/connection.ts';
import { defineScript, runScript } from '../scripts/run-script.ts';
import { UNUSE_STEP } from '../scripts/steps.lua.ts';
import { createLedger, headKeys, writeBlock, writeHead } from './ledger.ts';

/** Entries of a block. */
const BLOCK = 16;
const ATTEMPTS = 5;
/** Scans of imported entries have this prefix, and the commit. */
export const IMPORTED = 'import.';

/** The part of a ledger that an import wrote. */
export interface ImportedLedger {
  readonly entries: readonly LedgerEntry[];
  /** Time of the first scan, in seconds since 1970: no imported entry is as recent. */
  readonly before: number;
}

/**
 * The history of a target before the first scan of its ledger. Both functions resolve to `undefined` when the target has no ledger, and throw
 * `state-corrupt` and `storage-away`.
 */
export function createLedgerImport(redis: RedisClient, keys: Keys, storage?: ObjectStorage) {
  const ledger = createLedger(redis, keys, storage);
  const readAll = async (target: string) => {
    const entries = await ledger.read(target, (error) => {
      throw error;
    });
    const own = entries.filter(({ scan }) => !scan.startsWith(IMPORTED));
    const imported = entries.filter(({ scan }) => scan.startsWith(IMPORTED));
    return { own, imported, before: own.find(({ delivered }) => delivered === undefined)?.at ?? 0 };
  };
  return {
    async read(target: string): Promise<ImportedLedger | undefined> {
      const { own, imported, before } = await readAll(target);
      return own.length + imported.length === 0 ? undefined : { entries: imported, before };
    },
    /**
     * Replaces the imported history. Its entries that are not older than the first scan are left out. Resolves to the number of entries that
     * are written; also to `undefined` when the ledger changed each time.
     */
    async write(target: string, history: readonly LedgerEntry[]): Promise<number | undefined> {
      for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
        const revision = await redis.hget(keys.target(target), 'ledger');
        const length = await redis.llen(keys.ledger(target));
        const last = await redis.lindexBuffer(keys.ledger(target), -1);
        if (revision === null || last === null) return undefined;
        const { own, before } = await readAll(target);
        const older = history.filter(({ at }) => at < before);
        const all = [...older, ...own];
        const blocks = await Promise.all(chunks(older, BLOCK).map(writeBlock));
        const recorded = await Promise.all(chunks(own, BLOCK).map(writeBlock));
        const head = headOf(all);
        const heads = headKeys(keys, target);
        const parts = head ? writeHead(head) : heads.map(() => '');
        const answer = await runScript(
          redis,
          IMPORT,
          [keys.target(target), keys.ledger(target), keys.unusedObjects, ...heads],
          [target, revision, length, last, ...parts, ...blocks, ...recorded],
        );
        if (answer === 1) return older.length;
      }
      return undefined;
    },
  };
}

/**
 * Replaces a ledger that did not change since it was read. Returns 1, or 0 for one that did.
 *
 * Keys: target, ledger, unused objects, heads of ledgers. Arguments: target, revision of its ledger, number of elements, the last one, the parts of its head, then
 * the blocks.
 */
const IMPORT = defineScript(`
${UNUSE_STEP}
if redis.call('HGET', KEYS[1], 'ledger') ~= ARGV[2] or redis.call('LLEN', KEYS[2]) ~= tonumber(ARGV[3])
  or redis.call('LINDEX', KEYS[2], -1) ~= ARGV[4] then
  return 0
end
unuse(KEYS[2], 0, -1, KEYS[3])
redis.call('DEL', KEYS[2])
for at = 4, #KEYS do
  redis.call('HSET', KEYS[at], ARGV[1], ARGV[at + 1])
end
for at = #KEYS + 2, #ARGV do
  redis.call('RPUSH', KEYS[2], ARGV[at])
end
return 1
`);
