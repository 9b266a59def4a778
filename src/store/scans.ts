import { messageOf } from '../model/errors.ts';
import type { ScanRecord, ScanRecordUpdate } from '../model/scan/scan-record.ts';
import type { RedisClient } from './connection.ts';
import { StoreError } from './errors.ts';
import type { Keys } from './keys.ts';
import { runScript } from './scripts/run-script.ts';
import { NOTE_SCAN } from './scripts/scans.lua.ts';

/** Records of scans: the newest, each in some hundred bytes. They are written together with outcomes (`outcomes.ts`). */
export interface ScanStore {
  /** Notes that a scan was given up. May be repeated. */
  fail(scan: ScanRecordUpdate): Promise<void>;
  find(scan: string): Promise<ScanRecord | undefined>;
  /** Newest first, from position `from` on. `since`: first noted at this time or later, ms since 1970. */
  list(options: {
    readonly from: number;
    readonly count: number;
    readonly since?: number;
  }): Promise<readonly ScanRecord[]>;
}

/** Records that are kept, and for how long after a scan was first noted. */
const MAX_RECORDS = 10_000;
const MAX_AGE_MS = 30 * 24 * 3_600_000;

export function createScanStore(
  redis: RedisClient,
  keys: Keys,
  { now = Date.now }: { readonly now?: () => number } = {},
): ScanStore {
  return {
    async fail(scan) {
      const { keys: touched, values } = noteArguments(keys, scan, { time: now() });
      await runScript(redis, NOTE_SCAN, touched, values);
    },
    async find(scan) {
      const stored = await redis.hget(keys.scans, scan);
      return stored === null ? undefined : parse(scan, stored);
    },
    async list({ from, count, since = 0 }) {
      const scans = await redis.zrevrangebyscore(keys.scanOrder, '+inf', since, 'LIMIT', from, count);
      if (scans.length === 0) return [];
      const stored = await redis.hmget(keys.scans, ...scans);
      return scans.flatMap((scan, index) => {
        const text = stored[index];
        return text == null ? [] : [parse(scan, text)];
      });
    },
  };
}

/** Keys and arguments of `NOTE_STEP`. Times in ms since 1970. */
export function noteArguments(
  keys: Keys,
  { scan, ...fields }: ScanRecordUpdate,
  { time, startedAt }: { readonly time: number; readonly startedAt?: number | undefined },
): { readonly keys: readonly string[]; readonly values: readonly (string | number)[] } {
  const note = fields.state === 'running' ? { ...fields, startedAt } : { ...fields, endedAt: time };
  return {
    keys: [keys.scans, keys.scanOrder],
    values: [scan, time, JSON.stringify(note), MAX_RECORDS, MAX_AGE_MS],
  };
}

function parse(scan: string, text: string): ScanRecord {
  try {
    return { ...(JSON.parse(text) as Omit<ScanRecord, 'scan'>), scan };
  } catch (error) {
    throw new StoreError(
      'state-corrupt',
      `The record of scan "${scan}" cannot be read (${messageOf(error)}). Delete it to see the others.`,
      { cause: error },
    );
  }
}
