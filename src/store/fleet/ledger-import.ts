import { randomUUID } from 'node:crypto';
import { allIds, applyDelta, compareHeld, type Held } from '../../fleet/ledger/lockfile-deltas.ts';
import { defined } from '../../model/defined.ts';
import type { LedgerEntry } from '../../model/fleet/ledger.ts';
import { StoreError } from '../errors.ts';
import type { Keys } from '../keys.ts';
import type { RedisClient } from '../redis/connection.ts';
import { defineScript, runScript } from '../scripts/run-script.ts';
import { UNUSE_STEP } from '../scripts/steps.lua.ts';
import { readTargetState } from '../targets.ts';
import { reportTo } from '../values/stored-values.ts';
import type { Inventories } from './inventories.ts';
import { createLedger, idsOfLockfiles, placeOfHeads, writeLedger, wrongType } from './ledger.ts';
import { DEFAULT_KEEP_MS, type LedgerOptions } from './ledger-writer.ts';
import { summaryValues } from './target-summaries.ts';

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
  /** The commit that the first scan names. */
  readonly scanned?: string;
  /** Older entries are not kept, in ms since 1970. */
  readonly oldest: number;
  /**
   * Replaces the history. `held`: the packages after a history that is whole. Where a lockfile had them before the first scan, they were there all
   * the time; of the others that is not known. An entry that states a time after the first scan gets the last second before it. Resolves to false when the
   * target has no ledger any more. Throws `state-corrupt`, `storage-away`, and `ledger-changed`: another import has written the history since
   * this one read it, or scans changed the ledger during each attempt.
   */
  write(history: readonly LedgerEntry[], held?: Held): Promise<boolean>;
}

/** Reads the imported history of a target; `undefined` when it has no ledger. Throws `state-corrupt` and `storage-away`. */
export function createLedgerImport(
  redis: RedisClient,
  keys: Keys,
  inventories: Pick<Inventories, 'idListsOf'>,
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
    return { own, imported, first: own.find(({ delivered }) => delivered === undefined) };
  };
  /** The packages before the first scan, of the lockfiles of which that is known. `stored`: the state with which the ledger is complete. */
  const heldBefore = async (
    target: string,
    own: readonly LedgerEntry[],
    stored: Buffer | null,
  ): Promise<Held> => {
    const state = await readTargetState(keys, target, stored).catch(reportTo(() => {}));
    const scans = own.filter(({ delivered }) => delivered === undefined).reverse();
    if (state === undefined || scans.slice(0, -1).some(({ start }) => start === true)) return new Map();
    const { lockfiles = [] } = state;
    const lists = await idsOfLockfiles(inventories, lockfiles);
    const held: Held = new Map();
    for (const { path, inventory = '' } of lockfiles) {
      const ids = lists.get(inventory);
      if (ids !== undefined) held.set(path, new Set(allIds({ ids })));
    }
    const unknown = new Set<string>();
    for (const { path, came, went } of scans.flatMap(({ files = [] }) => files))
      if (!applyDelta({ path, came: went, went: came }, held)) unknown.add(path);
    for (const path of unknown) held.delete(path);
    return held;
  };
  return async (target: string): Promise<ImportedLedger | undefined> => {
    const place = keys.target(target);
    const other = (await redis.hget(place, 'import')) ?? '';
    const { own: scans, imported, first: firstScan } = await readAll(target);
    if (scans.length + imported.length === 0) return undefined;
    const { labels } = (await summaries.find(target)) ?? { labels: {} };
    const id = randomUUID();
    /** The result is 1 after a write, 0 if a scan changed the ledger meanwhile, -1 if another import did, and `undefined` if the ledger is gone. */
    const tryToWrite = async (history: readonly LedgerEntry[], held: Held | undefined): Promise<unknown> => {
      const [revision, current, state] = await redis.hmgetBuffer(place, 'ledger', 'revision', 'state');
      const length = await redis.llen(keys.ledger(target));
      const last = await redis.lindexBuffer(keys.ledger(target), -1);
      if (revision == null || last === null) return undefined;
      const { own, first } = await readAll(target);
      const isComplete = held !== undefined && current?.equals(revision) === true;
      const compared = isComplete
        ? compareHeld(held, await heldBefore(target, own, state ?? null))
        : undefined;
      const entries = withHistory(own, first, history, compared);
      const { blocks, heads } = await writeLedger(keys, target, entries);
      return await runScript(
        redis,
        IMPORT,
        [place, keys.ledger(target), keys.unusedObjects, ...heads.map(([key]) => key)],
        [target, revision, length, last, other, id, ...heads.map(([, part]) => part), ...blocks],
      ).catch(wrongType(placeOfHeads(heads.map(([key]) => key).join(' or ')), 'hash'));
    };
    const write = async (history: readonly LedgerEntry[], held?: Held): Promise<boolean> => {
      for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
        const answer = await tryToWrite(history, held);
        if (answer === undefined) return false;
        if (answer === 1) return true;
        if (answer === -1)
          throw changed(
            target,
            'another import has written its history, or it was forgotten and scanned again',
          );
      }
      throw changed(target, `scans wrote to its ledger during each of ${ATTEMPTS} attempts`);
    };
    return {
      ...{ entries: imported, before: firstScan?.at ?? 0, oldest: now() - keepMs(labels), write },
      ...defined({ scanned: firstScan?.commit }),
    };
  };
}

/** The entries of a ledger after a history. `compared`: what it ends with, and what lockfiles held before the first scan, if both are known. */
function withHistory(
  own: readonly LedgerEntry[],
  first: LedgerEntry | undefined,
  history: readonly LedgerEntry[],
  compared: ReturnType<typeof compareHeld> | undefined,
): readonly LedgerEntry[] {
  const before = first?.at ?? 0;
  const older = history.map((one) => (one.at < before ? one : { ...one, at: Math.max(0, before - 1) }));
  const { same = [], differing = [''] } = older.length === 0 ? {} : (compared ?? {});
  const joined = own.map((entry): LedgerEntry => {
    if (entry !== first) return entry;
    const { start: _, unchanged: __, ...scan } = entry;
    if (differing.length === 0) return scan;
    return { ...scan, start: true, ...(same.length === 0 ? {} : { unchanged: [...same] }) };
  });
  return [...older, ...joined];
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
for at = 4, #KEYS do
  -- It ends the script where the key has another type, before anything is written.
  redis.call('HEXISTS', KEYS[at], ARGV[1])
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
