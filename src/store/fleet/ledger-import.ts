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

/**
 * Puts the history of a target before the first scan of its ledger, in place of one that was imported before. Of a history, the entries
 * that are not older than that scan are left out. Resolves to their number that is written; `undefined` when the target has no ledger, or when its ledger changed each time. Throws `state-corrupt`
 * and `storage-away`.
 */
export function createLedgerImport(redis: RedisClient, keys: Keys, storage?: ObjectStorage) {
  const ledger = createLedger(redis, keys, storage);
  return async (target: string, history: readonly LedgerEntry[]): Promise<number | undefined> => {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const revision = await redis.hget(keys.target(target), 'ledger');
      const length = await redis.llen(keys.ledger(target));
      if (revision === null || length === 0) return undefined;
      const entries = await ledger.read(target, (error) => {
        throw error;
      });
      const own = entries.filter(({ scan }) => !scan.startsWith(IMPORTED));
      const first = own.find(({ delivered }) => delivered === undefined)?.at ?? 0;
      const before = history.filter(({ at }) => at < first);
      const all = [...before, ...own];
      const blocks = await Promise.all(chunks(before, BLOCK).map(writeBlock));
      const recorded = await Promise.all(chunks(own, BLOCK).map(writeBlock));
      const head = headOf(all);
      const heads = headKeys(keys, target);
      const answer = await runScript(
        redis,
        IMPORT,
        [keys.target(target), keys.ledger(target), keys.unusedObjects, ...heads],
        [target, revision, length, ...(head ? writeHead(head) : heads.map(() => '')), ...blocks, ...recorded],
      );
      if (answer === 1) return before.length;
    }
    return undefined;
  };
}

/**
 * Replaces a ledger that did not change since it was read. Returns 1, or 0 for one that did.
 *
 * Keys: target, ledger, unused objects, heads of ledgers. Arguments: target, revision of its ledger, number of elements, the parts of its head, then the blocks.
 */
const IMPORT = defineScript(`
${UNUSE_STEP}
if redis.call('HGET', KEYS[1], 'ledger') ~= ARGV[2] or redis.call('LLEN', KEYS[2]) ~= tonumber(ARGV[3]) then
  return 0
end
unuse(KEYS[2], 0, -1, KEYS[3])
redis.call('DEL', KEYS[2])
for at = 4, #KEYS do
  redis.call('HSET', KEYS[at], ARGV[1], ARGV[at])
end
for at = #KEYS + 1, #ARGV do
  redis.call('RPUSH', KEYS[2], ARGV[at])
end
return 1
`);
