import type { Queue } from 'bullmq';
import type { FleetStore } from '../../compose/fleet-store.ts';
import type { Store } from '../../compose/store.ts';
import { jobIdOf } from '../../jobs/job.ts';
import { INGEST_LOCKFILES } from '../../jobs/payloads/ingest-lockfiles.ts';
import { FIND_BASE_IMAGE, JUDGE_SCAN } from '../../jobs/payloads/judge-scan.ts';
import { SCAN_SOURCE } from '../../jobs/payloads/sources.ts';
import type { DeliveryRecord } from '../../model/alert/delivery.ts';
import { imageScanOf } from '../../model/scan/scan-id.ts';
import { omitted } from '../context.ts';
import type { Operation } from '../operation.ts';
import { type FoundScan, findScan, shownScan } from './find.ts';

/** Deliveries in the answer; `deliveries.list` has the others. */
const MAX_DELIVERIES = 100;

/** A scan with the deliveries of its changes. One that is not done says what it waits for. */
export const get: Operation<'lockhound.scans.get'> = async ({ params, principal }, { fleet }) => {
  const found = await findScan(fleet, principal, params.scan);
  const step = await stepOf(fleet, found);
  const deliveries = await deliveriesOf(found);
  return {
    scan: { ...shownScan(found.scan), ...(step === undefined ? {} : { step }) },
    deliveries: deliveries.slice(0, MAX_DELIVERIES),
    ...omitted(deliveries.length - MAX_DELIVERIES),
  };
};

async function deliveriesOf({ shard, scan }: FoundScan): Promise<readonly DeliveryRecord[]> {
  const found: DeliveryRecord[] = [];
  if ((scan.deliveries ?? 0) === 0) return found;
  for (const kind of ['open', 'failed', 'delivered'] as const) {
    for await (const { delivery } of shard.deliveries.newest(kind, { since: scan.startedAt }))
      if (delivery.scan === scan.scan) found.push(delivery);
  }
  return found.toSorted((left, right) => Date.parse(right.updatedAt) - Date.parse(left.updatedAt));
}

/** States in which BullMQ has nothing left to do for a job. */
const DONE: ReadonlySet<string> = new Set(['unknown', 'completed', 'failed']);

/** The step that a scan waits for, in words. `undefined` for one that is done. */
async function stepOf(fleet: FleetStore, { scan: record, shard }: FoundScan): Promise<string | undefined> {
  const { scan, state } = record;
  const jobOf = async (name: string, key: string): Promise<QueuedJob> => {
    const [queue, id] = [await fleet.queueOf(shard, name), jobIdOf(name, key)];
    return { queue, id, state: await queue.getJobState(id), shard };
  };
  if (state === 'queued' || state === 'running') {
    const source = await readingStep(await jobOf(SCAN_SOURCE.name, scan), 'reading the source');
    const step = source ?? (await readingStep(await jobOf(INGEST_LOCKFILES.name, scan), READING));
    if (step !== undefined) return step;
  }
  // A scan of an image alone has its own id there.
  for (const key of [scan, imageScanOf(scan)])
    if (!DONE.has((await jobOf(FIND_BASE_IMAGE.name, key)).state)) return 'looking up the base of the image';
  if (state !== 'running') return undefined;
  const judging = await jobOf(JUDGE_SCAN.name, scan);
  return judging.state === 'active' ? 'judge' : 'looking up advisories and dependencies';
}

const READING = 'reading lockfiles and looking up packages';

interface QueuedJob extends Pick<FoundScan, 'shard'> {
  readonly queue: Queue;
  readonly id: string;
  readonly state: string;
}

/** The step that a job of reading waits for; `active`: when it runs. */
async function readingStep(
  { queue, id, state, shard }: QueuedJob,
  active: string,
): Promise<string | undefined> {
  if (DONE.has(state)) return undefined;
  if (state === 'active') return active;
  if (state !== 'delayed')
    return (await isWorking(shard)) ? 'waiting for a worker' : 'no worker is connected';
  const reason = (await queue.getJob(id))?.failedReason;
  return `waiting for another attempt${reason === undefined ? '' : `: ${reason}`}`;
}

/** Whether a worker runs for the shard. BullMQ would count the clients of Redis, which its user may not list. */
async function isWorking({ workers, shard }: Store): Promise<boolean> {
  const all = await workers.list();
  return all.some(({ running, record }) => running && record.shards?.includes(shard.index) !== false);
}
