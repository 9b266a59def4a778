import { randomUUID } from 'node:crypto';
import { headOf } from '../../fleet/ledger/ledger-entries.ts';
import type { LedgerEntry } from '../../model/fleet/ledger.ts';
import { chunks } from '../../model/yielding.ts';
import { StoreError } from '../errors.ts';
import type { Keys } from '../keys.ts';
import type { RedisClient } from '../redis/connection.ts';
import { defineScript, runScript } from '../scripts/run-script.ts';
import { UNUSE_STEP } from '../scripts/steps.lua.ts';
import { createLedger, headKeys, writeBlock, writeHead } from './ledger.ts';
import { DEFAULT_KEEP_MS, type LedgerOptions } from './ledger-writer.ts';
import { summaryValues } from './target-summaries.ts';

/** Entries of a block. */
const BLOCK = 16;
/** A scan of the target between two steps of a write costs one. */
const ATTEMPTS = 20;
/** Scans of imported entries have this prefix, and the commit. */
export const IMPORTED = 'import.';

/** The history of a target before the first scan of its ledger. */
export interface ImportedLedger {
  /** The entries that earlier imports wrote. */
  readonly entries: readonly LedgerEntry[];
  /** Time of the first scan, in seconds since 1970: no imported entry is as recent. */
  readonly before: number;
  /** Older entries are not kept, in ms since 1970. */
  readonly oldest: number;
  /**
   * Replaces the history. An entry that states a time after the first scan gets the last second before it. Resolves to false when the
   * target has no ledger any more. Throws `state-corrupt`, `storage-away`, and `ledger-changed`: another import has written the history since
   * this one read it, or scans changed the ledger during each attempt.
   */
  write(history: readonly LedgerEntry[]): Promise<boolean>;
}

/** Reads the imported history of a target; `undefined` when it has no ledger. Throws `state-corrupt` and `storage-away`. */
export function createLedgerImport(
  redis: RedisClient,
  keys: Keys,
  { keepMs = () => DEFAULT_KEEP_MS, storage, now = Date.now }: LedgerOptions & { now?: () => number } = {},
) {
  const ledger = createLedger(redis, keys, storage);
  const summaries = summaryValues(redis, keys);
  const readAll = async (target: string) => {
    const entries = await ledger.read(target, (error) => {
      throw error;
    });
    const own = entries.filter(({ scan }) => !scan.startsWith(IMPORTED));
    const imported = entries.filter(({ scan }) => scan.startsWith(IMPORTED));
    return { own, imported, before: own.find(({ delivered }) => delivered === undefined)?.at ?? 0 };
  };
  return async (target: string): Promise<ImportedLedger | undefined> => {
    const place = keys.target(target);
    const known = (await redis.hget(place, 'import')) ?? '';
    const { own: scans, imported, before: firstScan } = await readAll(target);
    if (scans.length + imported.length === 0) return undefined;
    const { labels } = (await summaries.find(target)) ?? { labels: {} };
    const id = randomUUID();
    const write = async (history: readonly LedgerEntry[]): Promise<boolean> => {
      for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
        const revision = await redis.hget(place, 'ledger');
        const length = await redis.llen(keys.ledger(target));
        const last = await redis.lindexBuffer(keys.ledger(target), -1);
        if (revision === null || last === null) return false;
        const { own, before } = await readAll(target);
        const older = history.map((one) => (one.at < before ? one : { ...one, at: Math.max(0, before - 1) }));
        const blocks = await Promise.all(chunks(older, BLOCK).map(writeBlock));
        const recorded = await Promise.all(chunks(own, BLOCK).map(writeBlock));
        const head = headOf([...older, ...own]);
        const heads = headKeys(keys, target);
        const parts = head ? writeHead(head) : heads.map(() => '');
        const answer = await runScript(
          redis,
          IMPORT,
          [place, keys.ledger(target), keys.unusedObjects, ...heads],
          [target, revision, length, last, known, id, ...parts, ...blocks, ...recorded],
        );
        if (answer === 1) return true;
        if (answer === -1)
          throw changed(
            target,
            'another import has written its history, or it was forgotten and scanned again',
          );
      }
      throw changed(target, `scans wrote to its ledger during each of ${ATTEMPTS} attempts`);
    };
    return { entries: imported, before: firstScan, oldest: now() - keepMs(labels), write };
  };
}

function changed(target: string, reason: string): StoreError {
  return new StoreError(
    'ledger-changed',
    `target ${target} changed during its import: ${reason}. What is stored stays: run the import again.`,
    { retryable: true },
  );
}

/**
 * Replaces a ledger that did not change since it was read. Returns 1, 0 for one that scans changed, and -1 for one that another import wrote.
 *
 * Keys: target, ledger, unused objects, heads of ledgers. Arguments: target, revision of its ledger, number of elements, the last one, id of the
 * import that wrote it before this one began, id of this one, the parts of its head, then the blocks.
 */
const IMPORT = defineScript(`
${UNUSE_STEP}
if redis.call('HGET', KEYS[1], 'ledger') ~= ARGV[2] or redis.call('LLEN', KEYS[2]) ~= tonumber(ARGV[3])
  or redis.call('LINDEX', KEYS[2], -1) ~= ARGV[4] then
  return 0
end
local import = redis.call('HGET', KEYS[1], 'import') or ''
if import ~= ARGV[5] and import ~= ARGV[6] then
  return -1
end
redis.call('HSET', KEYS[1], 'import', ARGV[6])
unuse(KEYS[2], 0, -1, KEYS[3])
redis.call('DEL', KEYS[2])
for at = 4, #KEYS do
  redis.call('HSET', KEYS[at], ARGV[1], ARGV[at + 3])
end
for at = #KEYS + 4, #ARGV do
  redis.call('RPUSH', KEYS[2], ARGV[at])
end
return 1
`);
