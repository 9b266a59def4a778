import { HASH_DIGITS, scanIdOf } from '../model/scan/scan-id.ts';
import type { ScanRecord, ScanRecordUpdate } from '../model/scan/scan-record.ts';
import { SCAN_RECORD } from '../model/stored/catalog.ts';
import type { Keys } from './keys.ts';
import { type NewestRange, newestIds, type PlacedId } from './newest-ids.ts';
import type { RedisClient } from './redis/connection.ts';
import { scanFields } from './redis/scan.ts';
import { defineScript, runScript } from './scripts/run-script.ts';
import { NOTE_STEP } from './scripts/steps.lua.ts';
import { createHashValues } from './values/hash-values.ts';
import type { OnUnreadable } from './values/stored-values.ts';

/** Records that are kept, and for how long after a scan was first noted. */
const MAX_RECORDS = 10_000;
const MAX_AGE_MS = 30 * 24 * 3_600_000;

/** Adds fields to a scan's record. Keys and arguments: those of `NOTE_STEP`. */
const NOTE_SCAN = defineScript(`
${NOTE_STEP}
note(KEYS, ARGV)
return 1
`);

export interface ScanRange {
  readonly from: number;
  readonly count: number;
  readonly since?: number | undefined;
}

export interface ScanStoreOptions {
  readonly onUnreadable?: OnUnreadable | undefined;
  readonly now?: (() => number) | undefined;
}

export type ScanStore = ReturnType<typeof createScanStore>;

/** Records of the newest scans, some hundred bytes each. They are written together with outcomes (`outcomes.ts`). */
export function createScanStore(
  redis: RedisClient,
  keys: Keys,
  { onUnreadable, now = Date.now }: ScanStoreOptions = {},
) {
  const remedy = 'Delete the field to forget this scan.';
  const records = createHashValues(redis, SCAN_RECORD, { key: keys.scans, remedy, onUnreadable });
  /** The records of these scans, without those that are not stored. One that cannot be read is reported. */
  const findEach = async (scans: readonly string[]): Promise<readonly ScanRecord[]> =>
    (await records.some(scans)).map(([scan, record]) => ({ ...record, scan }));
  return {
    /** Notes that a scan failed permanently. May be repeated. */
    async fail(scan: ScanRecordUpdate): Promise<void> {
      const { keys: touched, values } = noteArguments(keys, scan, { time: now() });
      await runScript(redis, NOTE_SCAN, touched, values);
    },
    /** Throws `state-corrupt` or `state-newer`. */
    async find(scan: string): Promise<ScanRecord | undefined> {
      const record = await records.find(scan);
      return record && { ...record, scan };
    },
    /** Scans whose producers chose this id, of any targets. Throws `state-corrupt` or `state-newer`. */
    async findChosen(chosen: string): Promise<readonly ScanRecord[]> {
      const found: ScanRecord[] = [];
      // Letters, digits, `_`, `.` and `-`, none of which has a meaning in a pattern.
      if (!/^[\w.-]{1,128}$/.test(chosen)) return found;
      const pattern = `${chosen}.${'?'.repeat(HASH_DIGITS)}`;
      for await (const [scan, stored] of scanFields(redis, keys.scans, pattern)) {
        const record = await records.parse(scan, stored);
        if (scan === scanIdOf(record.target, chosen)) found.push({ ...record, scan });
      }
      return found;
    },
    /**
     * Newest first, from position `from` on. `since`: first noted at this time or later, ms since 1970. A record that cannot
     * be read is reported and left out.
     */
    async list({ from, count, since = 0 }: ScanRange): Promise<readonly ScanRecord[]> {
      return await findEach(
        await redis.zrevrangebyscore(keys.scanOrder, '+inf', since, 'LIMIT', from, count),
      );
    },
    /** Ids of scans that were first noted at this time or later (ms since 1970), newest first. */
    async idsSince(since: number): Promise<readonly PlacedId[]> {
      const found: PlacedId[] = [];
      for await (const part of newestIds(redis, keys.scanOrder, { since, count: 1_000 })) found.push(...part);
      return found;
    },
    findEach,
    /** Yields all scans, each with the time when it was first noted, the newest first, from a place on. */
    async *newest(range: NewestRange) {
      for await (const part of newestIds(redis, keys.scanOrder, range)) {
        const found = new Map((await findEach(part.map(({ id }) => id))).map((scan) => [scan.scan, scan]));
        for (const place of part) {
          const scan = found.get(place.id);
          if (scan !== undefined) yield { ...place, scan };
        }
      }
    },
  };
}

/** Keys and arguments of `NOTE_STEP`. Times in ms since 1970. */
export function noteArguments(
  keys: Keys,
  { scan, ...record }: ScanRecordUpdate,
  { time, startedAt }: { readonly time: number; readonly startedAt?: number | undefined },
): { readonly keys: readonly string[]; readonly values: readonly (string | number)[] } {
  const times =
    record.state === 'running'
      ? { startedAt }
      : { endedAt: time, startedAt: record.unchanged === true ? startedAt : undefined };
  const note = JSON.stringify({ ...record, ...times, version: SCAN_RECORD.version });
  return { keys: [keys.scans, keys.scanOrder], values: [scan, time, note, MAX_RECORDS, MAX_AGE_MS] };
}
