import type { Job, Queue } from 'bullmq';
import type { Store } from '../compose/store.ts';
import type { LoadedConfig } from '../config/load.ts';
import { INGEST_LOCKFILES, type IngestLockfiles } from '../jobs/payloads/ingest-lockfiles.ts';
import { SCAN_SOURCE, type ScanSource } from '../jobs/payloads/sources/scan-source.ts';
import { withOwnId } from '../jobs/requested-scan.ts';
import type { DeliveryRecord } from '../model/alert/delivery.ts';
import { scanIdOf } from '../model/scan/scan-id.ts';
import type { ScanRecord, ScanState } from '../model/scan/scan-record.ts';
import { openSharedStore, type SharedStore } from './shared-store.ts';

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
export type ScanAdmin = Awaited<ReturnType<typeof openScanAdmin>>;

/** Number of records that are read at the same time. */
const CHUNK = 500;
const MAX_QUEUED = 1_000;
const MAX_DELIVERIES = 100;

/** Throws `ConfigError` when `redis.url` is not set and `StoreError` when Redis does not answer. */
export async function openScanAdmin(loaded: LoadedConfig) {
  return administerScans(await openSharedStore(loaded));
}

/** The same for a store that is open. `close` closes it. */
export function administerScans(shared: SharedStore) {
  const { shards, close } = shared;
  const opened = shards.map(({ store, openQueue }) => ({
    store,
    queues: [INGEST_LOCKFILES, SCAN_SOURCE].map(({ name }) => openQueue(name)),
  }));
  return {
    /** Queued and running scans first, then the newest. */
    async list(filter: ScanFilter): Promise<readonly ScanRecord[]> {
      const lists = await Promise.all(opened.map(({ store, queues }) => list(store, queues, filter)));
      return newestOf(lists, filter.limit);
    },
    /** Scans whose first job waits or runs; at most 1,000 of each shard. */
    queued: async () => (await Promise.all(opened.map(({ queues }) => queuedScans(queues)))).flat(),
    /**
     * A scan by its id, or the newest one whose producer chose that id. `sees`: the targets of the caller. A scan of another target takes
     * the same time as none.
     */
    async show(id: string, sees: (target: string) => boolean = () => true): Promise<ShownScan | undefined> {
      const found = await Promise.all(opened.map(({ store, queues }) => find(store, queues, id)));
      const allowed = found.flat().filter(({ scan: { target } }) => sees(target));
      // A producer can choose the id of a scan of another target, which must not hide that one.
      const exact = allowed.filter(({ scan }) => scan.scan === id);
      const seen = exact.length > 0 ? exact : allowed;
      const [newest] = seen.sort((left, right) => timeOf(right.scan) - timeOf(left.scan));
      if (newest === undefined) return undefined;
      return { scan: newest.scan, deliveries: await deliveriesOf(newest.store, newest.scan) };
    },
    close,
  };
}

/** Scans that have an id, and those whose producer chose it. */
async function find(store: Store, queues: readonly Queue[], id: string) {
  const [exact, chosen, queued] = await Promise.all([
    store.scans.find(id),
    store.scans.findChosen(id),
    queuedScans(queues),
  ]);
  const recorded = exact === undefined ? chosen : [exact, ...chosen];
  const known = new Set(recorded.map(({ scan }) => scan));
  const waiting = queued.filter(
    ({ scan, target }) => !known.has(scan) && (scan === id || scan === scanIdOf(target, id)),
  );
  return [...recorded, ...waiting].map((scan) => ({ scan, store }));
}

/** The lists of all shards as one, in the same order. */
function newestOf(lists: readonly (readonly ScanRecord[])[], limit: number): readonly ScanRecord[] {
  if (lists.length === 1) return lists[0] ?? [];
  return lists
    .flat()
    .map((scan) => ({ scan, time: timeOf(scan) }))
    .sort((left, right) => (left.time === right.time ? 0 : right.time - left.time))
    .slice(0, limit)
    .map(({ scan }) => scan);
}

function timeOf({ state, startedAt, endedAt, requestedAt }: ScanRecord): number {
  return state === 'queued' ? Number.POSITIVE_INFINITY : (startedAt ?? endedAt ?? Date.parse(requestedAt));
}

async function list(
  store: Store,
  queues: readonly Queue[],
  filter: ScanFilter,
): Promise<readonly ScanRecord[]> {
  const { states, target, since = 0, limit } = filter;
  const fits = (scan: ScanRecord): boolean =>
    (states === undefined || states.includes(scan.state)) && (target === undefined || scan.target === target);
  const queued = (await queuedScans(queues)).filter((scan) => Date.parse(scan.requestedAt) >= since);
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
async function queuedScans(queues: readonly Queue[]): Promise<readonly ScanRecord[]> {
  const states = ['active', 'waiting', 'delayed', 'prioritized'] as const;
  const found = await Promise.all(queues.map((queue) => queue.getJobs([...states], 0, MAX_QUEUED - 1)));
  const jobs: readonly (Job | undefined)[] = found.flat();
  return jobs.flatMap((job) => {
    const type = job?.queueName === SCAN_SOURCE.name ? SCAN_SOURCE : INGEST_LOCKFILES;
    const read = type.schema().safeParse((job?.data as { payload?: unknown } | undefined)?.payload);
    if (job === undefined || !read.success) return [];
    const { scan, target, requestedAt } = withOwnId<ScanSource | IngestLockfiles>(read.data);
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
