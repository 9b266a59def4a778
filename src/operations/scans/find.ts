import type { Job, Queue } from 'bullmq';
import type { FleetStore } from '../../compose/fleet-store.ts';
import type { Store } from '../../compose/store.ts';
import { jobIdOf } from '../../jobs/job.ts';
import { withOwnId } from '../../jobs/payloads/fields.ts';
import { INGEST_LOCKFILES, type IngestLockfiles } from '../../jobs/payloads/ingest-lockfiles.ts';
import { SCAN_SOURCE, type ScanSource } from '../../jobs/payloads/sources.ts';
import { scanIdOf } from '../../model/scan/scan-id.ts';
import type { ScanRecord } from '../../model/scan/scan-record.ts';
import { notFound } from '../context.ts';
import type { Principal } from '../principal.ts';
import { Refusal } from '../refusal.ts';

/** Queued scans that are read of each queue, and at a time: each may hold megabytes of lockfiles. */
const MAX_QUEUED = 1_000;
const QUEUED_AT_ONCE = 50;

const QUEUED_STATES = ['active', 'waiting', 'delayed', 'prioritized'] as const;

export interface FoundScan {
  readonly scan: ScanRecord;
  readonly shard: Store;
}

/** A scan by its id, or the newest one whose producer chose that id. A scan of another team takes the same time as none. Throws `Refusal`. */
export async function findScan(fleet: FleetStore, principal: Principal, id: string): Promise<FoundScan> {
  const { sees } = principal;
  const found = await Promise.all(fleet.shards.map((shard) => findIn(fleet, shard, id)));
  const allowed = found.flat().filter(({ scan: { target } }) => sees(target));
  // A producer can choose the id of a scan of another target, which must not hide that one.
  const exact = allowed.filter(({ scan }) => scan.scan === id);
  const seen = exact.length > 0 ? exact : allowed;
  const [newest] = seen.sort((left, right) => timeOf(right.scan) - timeOf(left.scan));
  if (newest !== undefined) return newest;
  const unknown = notFound(`there is no scan ${id}: records are kept for 30 days`);
  throw (await rejectedScan(fleet, principal, id)) ?? unknown;
}

/** The error for a scan whose payload was rejected, which has no record. A payload says nothing reliable about its target. */
async function rejectedScan(
  fleet: FleetStore,
  { seesAll }: Principal,
  scan: string,
): Promise<Refusal | undefined> {
  const { name } = INGEST_LOCKFILES;
  const id = jobIdOf(name, scan);
  for (const shard of seesAll ? fleet.shards : []) {
    const [entry] = await shard.rejected.find(id, [name]);
    if (entry === undefined) continue;
    const faults = entry.issues.map(({ path, reason }) => `${path}: ${reason}`).join('; ');
    const advice = `\`lockhound rejected get ${name} ${id}\` shows its payload`;
    return new Refusal(404, 'scan-failed', `${name}: ${faults}; ${advice}`);
  }
  return undefined;
}

/** Scans that have an id, and those whose producer chose it. */
async function findIn(fleet: FleetStore, shard: Store, id: string): Promise<readonly FoundScan[]> {
  const [exact, chosen, queued] = await Promise.all([
    shard.scans.find(id),
    shard.scans.findChosen(id),
    queuedScans(fleet, shard, id),
  ]);
  const recorded = exact === undefined ? chosen : [exact, ...chosen];
  const known = new Set(recorded.map(({ scan }) => scan));
  const waiting = queued.filter(
    ({ scan, target }) => !known.has(scan) && (scan === id || scan === scanIdOf(target, id)),
  );
  return [...recorded, ...waiting].map((scan) => ({ scan, shard }));
}

function timeOf({ state, startedAt, endedAt, requestedAt }: ScanRecord): number {
  return state === 'queued' ? Number.POSITIVE_INFINITY : (startedAt ?? endedAt ?? Date.parse(requestedAt));
}

/**
 * Scans of a shard whose first job waits or runs, the newest 1,000 of each queue. They have no record yet. `id`: in addition the scan with
 * this id, whatever number of jobs of others came after it.
 */
export async function queuedScans(
  fleet: FleetStore,
  shard: Store,
  id?: string,
): Promise<readonly ScanRecord[]> {
  const queues = await Promise.all(
    [INGEST_LOCKFILES, SCAN_SOURCE].map(({ name }) => fleet.queueOf(shard, name)),
  );
  const found = await Promise.all(
    queues.flatMap((queue) => [scansIn(queue), id === undefined ? [] : scanIn(queue, id)]),
  );
  return [...new Map(found.flat().map((one) => [one.scan, one])).values()];
}

async function scansIn(queue: Queue): Promise<readonly ScanRecord[]> {
  const found: ScanRecord[] = [];
  for (let from = 0; from < MAX_QUEUED; from += QUEUED_AT_ONCE) {
    const jobs = await queue.getJobs([...QUEUED_STATES], from, from + QUEUED_AT_ONCE - 1);
    if (jobs.length === 0) break;
    found.push(...jobs.flatMap((job) => scanOf(queue, job)));
  }
  return found;
}

async function scanIn(queue: Queue, id: string): Promise<readonly ScanRecord[]> {
  const jobId = jobIdOf(queue.name, id);
  const [job, state] = await Promise.all([queue.getJob(jobId), queue.getJobState(jobId)]);
  return QUEUED_STATES.some((one) => one === state) ? scanOf(queue, job) : [];
}

function scanOf({ name }: Queue, job: Job | undefined): readonly ScanRecord[] {
  const type = name === SCAN_SOURCE.name ? SCAN_SOURCE : INGEST_LOCKFILES;
  const read = type.schema().safeParse((job?.data as { payload?: unknown } | undefined)?.payload);
  if (job === undefined || !read.success) return [];
  const { scan, target, requestedAt } = withOwnId<ScanSource | IngestLockfiles>(read.data);
  const running = job.processedOn === undefined ? {} : { startedAt: job.processedOn };
  const state = job.processedOn === undefined ? 'queued' : 'running';
  return [{ scan, target: target.id, requestedAt, state, ...running }];
}

/** A record as the API shows it. */
export function shownScan({ startedAt, endedAt, ...scan }: ScanRecord) {
  return {
    ...scan,
    ...(startedAt === undefined ? {} : { startedAt: new Date(startedAt).toISOString() }),
    ...(endedAt === undefined ? {} : { endedAt: new Date(endedAt).toISOString() }),
  };
}
