import { HASH_DIGITS, scanIdOf } from '../model/scan/scan-id.ts';
import type { ScanRecord, ScanRecordUpdate } from '../model/scan/scan-record.ts';
import { SCAN_RECORD } from '../model/stored/catalog.ts';
import type { Keys } from './keys.ts';
import { type NewestRange, newestIds, type PlacedId } from './newest-ids.ts';
import type { RedisClient } from './redis/connection.ts';
import { defineScript, runScript } from './scripts/run-script.ts';
import { NOTE_STEP } from './scripts/steps.lua.ts';
import { type OnUnreadable, readEach, readValue } from './values/stored-values.ts';

/** Records that are kept, and for how long after a scan was first noted. */
const MAX_RECORDS = 10_000;
const MAX_AGE_MS = 30 * 24 * 3_600_000;

/** Adds fields to a scan's record. Keys and arguments: those of `NOTE_STEP`. */
const NOTE_SCAN = defineScript(`
${NOTE_STEP}
note(KEYS, ARGV)
return 1
`);

interface ScanRange {
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
  { onUnreadable = () => {}, now = Date.now }: ScanStoreOptions = {},
) {
  const read = async (scan: string, text: string): Promise<ScanRecord> => {
    const remedy = 'Delete the field to forget this scan.';
    return { ...(await readValue(SCAN_RECORD, text, { key: keys.scans, field: scan, remedy })), scan };
  };
  return {
    /** Notes that a scan failed permanently. May be repeated. */
    async fail(scan: ScanRecordUpdate): Promise<void> {
      const { keys: touched, values } = noteArguments(keys, scan, { time: now() });
      await runScript(redis, NOTE_SCAN, touched, values);
    },
    /** Throws `state-corrupt` or `state-newer`. */
    async find(scan: string): Promise<ScanRecord | undefined> {
      const stored = await redis.hget(keys.scans, scan);
      return stored === null ? undefined : await read(scan, stored);
    },
    /** Scans whose producers chose this id, of any targets. Throws `state-corrupt` or `state-newer`. */
    async findChosen(chosen: string): Promise<readonly ScanRecord[]> {
      const found: ScanRecord[] = [];
      // Letters, digits, `_`, `.` and `-`, none of which has a meaning in a pattern.
      if (!/^[\w.-]{1,128}$/.test(chosen)) return found;
      const pattern = `${chosen}.${'?'.repeat(HASH_DIGITS)}`;
      let cursor = '0';
      do {
        const [next, fields] = await redis.hscan(keys.scans, cursor, 'MATCH', pattern, 'COUNT', 1_000);
        for (let at = 0; at + 1 < fields.length; at += 2) {
          const record = await read(String(fields[at]), String(fields[at + 1]));
          if (record.scan === scanIdOf(record.target, chosen)) found.push(record);
        }
        cursor = next;
      } while (cursor !== '0');
      return found;
    },
    /**
     * Newest first, from position `from` on. `since`: first noted at this time or later, ms since 1970. A record that cannot
     * be read is reported and left out.
     */
    async list({ from, count, since = 0 }: ScanRange): Promise<readonly ScanRecord[]> {
      const scans = await redis.zrevrangebyscore(keys.scanOrder, '+inf', since, 'LIMIT', from, count);
      if (scans.length === 0) return [];
      const stored = await redis.hmget(keys.scans, ...scans);
      const kept = scans.flatMap((scan, index) => {
        const text = stored[index];
        return text == null ? [] : [{ scan, text }];
      });
      return await readEach(kept, ({ scan, text }) => read(scan, text), onUnreadable);
    },
    /** Ids of scans that were first noted at this time or later (ms since 1970), newest first. */
    async idsSince(since: number): Promise<readonly PlacedId[]> {
      const found: PlacedId[] = [];
      for await (const part of newestIds(redis, keys.scanOrder, { since, count: 1_000 })) found.push(...part);
      return found;
    },
    /** The records of these scans, without those that are not stored. One that cannot be read is reported. */
    async findEach(scans: readonly string[]): Promise<readonly ScanRecord[]> {
      if (scans.length === 0) return [];
      const stored = await redis.hmget(keys.scans, ...scans);
      const kept = scans.flatMap((scan, index) => {
        const text = stored[index];
        return text == null ? [] : [{ scan, text }];
      });
      return await readEach(kept, ({ scan, text }) => read(scan, text), onUnreadable);
    },
    /** Yields all scans, each with the time when it was first noted, the newest first, from a place on. */
    async *newest(range: NewestRange): AsyncGenerator<TimedScan> {
      for await (const part of newestIds(redis, keys.scanOrder, range)) {
        const stored = await redis.hmget(keys.scans, ...part.map(({ id }) => id));
        const kept = part.flatMap(({ id, time }, index) => {
          const text = stored[index];
          return text == null ? [] : [{ id, time, text }];
        });
        yield* await readEach(
          kept,
          async ({ id, time, text }) => ({ id, time, scan: await read(id, text) }),
          onUnreadable,
        );
      }
    },
  };
}

/** A record with its place in the order by time. */
export interface TimedScan extends PlacedId {
  readonly scan: ScanRecord;
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
