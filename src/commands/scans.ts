import type { Job, Queue } from 'bullmq';
import type { Store } from '../compose/store.ts';
import type { LoadedConfig } from '../config/load.ts';
import { INGEST_LOCKFILES } from '../jobs/payloads/ingest-lockfiles.ts';
import type { DeliveryRecord } from '../model/alert/delivery.ts';
import type { ScanRecord, ScanState } from '../model/scan/scan-record.ts';
import { openSharedStore } from './shared-store.ts';

export interface ScanFilter {
  /** Default: all. */
  readonly states?: readonly ScanState[] | undefined;
  readonly target?: string | undefined;
  /** First recorded at this time or later, in milliseconds since 1970. */
  readonly since?: number | undefined;
  /** Largest number of scans. */
  readonly limit: number;
}

export interface ShownScan {
  readonly scan: ScanRecord;
  /** Deliveries of its changes, by their last change, newest first. */
  readonly deliveries: readonly DeliveryRecord[];
}

/** Administration of scans. */
export interface ScanAdmin {
  /** Queued and running scans first, then the newest. */
  list(filter: ScanFilter): Promise<readonly ScanRecord[]>;
  show(scan: string): Promise<ShownScan | undefined>;
  close(): Promise<void>;
}

/** Number of records that are read at the same time. */
const CHUNK = 500;
const MAX_QUEUED = 1_000;
const MAX_DELIVERIES = 100;

/** Throws `ConfigError` when `redis.url` is not set and `StoreError` when Redis does not answer. */
export async function openScanAdmin(loaded: LoadedConfig): Promise<ScanAdmin> {
  const { store, openQueue, close } = await openSharedStore(loaded);
  const queue = openQueue(INGEST_LOCKFILES.name);
  return {
    list: (filter) => list(store, queue, filter),
    async show(id) {
      const scan = (await store.scans.find(id)) ?? (await queuedScans(queue)).find((one) => one.scan === id);
      return scan === undefined ? undefined : { scan, deliveries: await deliveriesOf(store, scan) };
    },
    close,
  };
}

async function list(store: Store, queue: Queue, filter: ScanFilter): Promise<readonly ScanRecord[]> {
  const { states, target, since = 0, limit } = filter;
  const fits = (scan: ScanRecord): boolean =>
    (states === undefined || states.includes(scan.state)) && (target === undefined || scan.target === target);
  const queued = (await queuedScans(queue)).filter((scan) => Date.parse(scan.requestedAt) >= since);
  const found = queued.filter(fits);
  const known = new Set(queued.map(({ scan }) => scan));
  for (let from = 0; found.length < limit; from += CHUNK) {
    const records = await store.scans.list({ from, count: CHUNK, since });
    found.push(...records.filter((record) => !known.has(record.scan) && fits(record)));
    if (records.length === 0) break;
  }
  return found.slice(0, limit);
}

/** Scans whose first job waits or runs. They have no record yet. */
async function queuedScans(queue: Queue): Promise<readonly ScanRecord[]> {
  const states = ['active', 'waiting', 'delayed', 'prioritized'] as const;
  const jobs: readonly (Job | undefined)[] = await queue.getJobs([...states], 0, MAX_QUEUED - 1);
  return jobs.flatMap((job) => {
    const read = INGEST_LOCKFILES.schema.safeParse((job?.data as { payload?: unknown } | undefined)?.payload);
    if (job === undefined || !read.success) return [];
    const { scan, target, requestedAt } = read.data;
    const running = job.processedOn === undefined ? {} : { startedAt: job.processedOn };
    const state = job.processedOn === undefined ? 'queued' : 'running';
    return [{ scan, target: target.id, requestedAt, state, ...running }];
  });
}

async function deliveriesOf({ deliveries }: Store, scan: ScanRecord): Promise<readonly DeliveryRecord[]> {
  if ((scan.deliveries ?? 0) === 0) return [];
  const ids = await deliveries.list(['open', 'failed', 'delivered'], scan.startedAt ?? 0);
  const found: DeliveryRecord[] = [];
  for (let at = 0; at < ids.length && found.length < MAX_DELIVERIES; at += CHUNK) {
    const records = await deliveries.findAll(ids.slice(at, at + CHUNK));
    found.push(...records.filter((record) => record.scan === scan.scan));
  }
  return found.slice(0, MAX_DELIVERIES);
}
