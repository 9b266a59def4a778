import type { ScanRecord, ScanRecordUpdate } from '../model/scan/scan-record.ts';
import { SCAN_RECORD } from '../model/stored/catalog.ts';
import type { Keys } from './keys.ts';
import type { RedisClient } from './redis/connection.ts';
import { defineScript, runScript } from './scripts/run-script.ts';
import { NOTE_STEP } from './scripts/steps.lua.ts';
import { type OnUnreadable, readEach, readValue } from './values/stored-values.ts';

/** Records of the newest scans, some hundred bytes each. They are written together with outcomes (`outcomes.ts`). */
export interface ScanStore {
  /** Notes that a scan failed permanently. May be repeated. */
  fail(scan: ScanRecordUpdate): Promise<void>;
  /** Throws `state-corrupt` or `state-newer`. */
  find(scan: string): Promise<ScanRecord | undefined>;
  /**
   * Newest first, from position `from` on. `since`: first noted at this time or later, ms since 1970. A record that cannot
   * be read is reported and left out.
   */
  list(options: {
    readonly from: number;
    readonly count: number;
    readonly since?: number | undefined;
  }): Promise<readonly ScanRecord[]>;
}

/** Records that are kept, and for how long after a scan was first noted. */
const MAX_RECORDS = 10_000;
const MAX_AGE_MS = 30 * 24 * 3_600_000;

/** Adds fields to a scan's record. Keys and arguments: those of `NOTE_STEP`. */
const NOTE_SCAN = defineScript(`
${NOTE_STEP}
note(KEYS, ARGV)
return 1
`);

export interface ScanStoreOptions {
  readonly onUnreadable?: OnUnreadable | undefined;
  readonly now?: (() => number) | undefined;
}

export function createScanStore(
  redis: RedisClient,
  keys: Keys,
  { onUnreadable = () => {}, now = Date.now }: ScanStoreOptions = {},
): ScanStore {
  const read = async (scan: string, text: string): Promise<ScanRecord> => {
    const remedy = 'Delete the field to forget this scan.';
    return { ...(await readValue(SCAN_RECORD, text, { key: keys.scans, field: scan, remedy })), scan };
  };
  return {
    async fail(scan) {
      const { keys: touched, values } = noteArguments(keys, scan, { time: now() });
      await runScript(redis, NOTE_SCAN, touched, values);
    },
    async find(scan) {
      const stored = await redis.hget(keys.scans, scan);
      return stored === null ? undefined : await read(scan, stored);
    },
    async list({ from, count, since = 0 }) {
      const scans = await redis.zrevrangebyscore(keys.scanOrder, '+inf', since, 'LIMIT', from, count);
      if (scans.length === 0) return [];
      const stored = await redis.hmget(keys.scans, ...scans);
      const kept = scans.flatMap((scan, index) => {
        const text = stored[index];
        return text == null ? [] : [{ scan, text }];
      });
      return await readEach(kept, ({ scan, text }) => read(scan, text), onUnreadable);
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
