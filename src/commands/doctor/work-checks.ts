import { QUEUES } from '../../compose/fleet-numbers.ts';
import { type FleetStore, openFleetStore } from '../../compose/fleet-store.ts';
import { reconcileOnce } from '../../compose/pipeline.ts';
import type { Store } from '../../compose/store.ts';
import { INGEST_LOCKFILES } from '../../jobs/payloads/ingest-lockfiles.ts';
import type { Schedule } from '../../model/watch/schedule.ts';
import { firstShard } from '../../operations/context.ts';
import { shownSchedule, storeSchedule } from '../../operations/schedules/schedules.ts';
import { alertFaults } from '../../server/verdict/runs.ts';
import { type Check, type Finding, fault, note, ok, type Patient, warning } from './check.ts';
import { findStillLanes } from './still-lanes.ts';

const SHOWN = 3;
/** Waiting scans whose contents are looked for: the oldest ones lose theirs first. */
const SAMPLE = 50;
const MAX_REASON = 300;

/** Jobs that failed permanently, with the newest reasons. */
const failedJobs: Check = {
  subject: 'work',
  name: 'failed jobs',
  async run({ stores }) {
    const found = await Promise.all(stores.shards.map((shard) => failedIn(shard)));
    return found.flat().length === 0 ? ok('no job failed permanently') : found.flat();
  },
};

async function failedIn({ queueDepths }: Store): Promise<readonly Finding[]> {
  const depths = (await queueDepths.read(QUEUES)).filter(({ failed }) => failed > 0);
  return await Promise.all(
    depths.map(async ({ queue, failed }): Promise<Finding> => {
      const newest = await queueDepths.failedJobs(queue, SHOWN);
      const reasons = [...new Set(newest.map(({ reason }) => reason.slice(0, MAX_REASON)))].join(' | ');
      const expired = newest.some(({ reason }) => reason.includes('[blob-missing]'));
      const remedy = expired
        ? 'Contents of lockfiles expired before they were read: raise `lockfiles.retention`, and scan again.'
        : queue === 'deliver-notification'
          ? 'Run `lockhound deliveries retry --state failed` once the receiver works.'
          : 'Remove the cause; the next scan of the target does the work again.';
      return {
        verdict: 'degraded',
        says: `${queue}: ${failed} failed permanently. Newest: ${reasons}`,
        remedy,
      };
    }),
  );
}

/** Contents that expire before a worker reads them. */
const contents: Check = {
  subject: 'work',
  name: 'contents',
  async run({ stores, loaded }) {
    const waiting = (await Promise.all(stores.shards.map((shard) => oldestScans(shard)))).flat();
    if (waiting.length === 0) return ok('no scan waits');
    const missing = waiting.filter(({ complete }) => !complete).length;
    const oldest = Math.max(...waiting.map(({ ageMs }) => ageMs));
    const days = (ms: number) => `${(ms / 86_400_000).toFixed(1)} days`;
    if (missing > 0) {
      const says = `contents of ${missing} of the ${waiting.length} oldest waiting scans are no longer stored`;
      return fault(
        says,
        'Producers have to enqueue them again; raise `lockfiles.retention`, and start more workers.',
      );
    }
    const says = `the contents of the ${waiting.length} oldest waiting scans are stored`;
    if (oldest < loaded.config.lockfiles.retention / 2) return ok(says);
    return warning(
      `${says}, but one has waited for ${days(oldest)}`,
      'Start more workers, or raise `lockfiles.retention`.',
    );
  },
};

async function oldestScans({ queueDepths, blobs }: Store) {
  const jobs = await queueDepths.oldestData(INGEST_LOCKFILES.name, SAMPLE);
  return await Promise.all(
    jobs.map(async ({ data, timestamp }) => {
      const hashes = [...data.matchAll(/"sha256":"([0-9a-f]{64})"/g)].map(([, hash = '']) => hash);
      return { complete: await blobs.keep([...new Set(hashes)]), ageMs: Date.now() - timestamp };
    }),
  );
}

const lanes: Check = {
  subject: 'work',
  name: 'lanes',
  async run({ stores, log }) {
    const still = (
      await Promise.all(stores.shards.map(async (shard) => ({ shard, lanes: await findStillLanes(shard) })))
    ).filter((one) => one.lanes.length > 0);
    if (still.length === 0) return ok('every lane has a job that can run');
    const all = still.flatMap((one) => one.lanes);
    return [
      {
        verdict: 'broken',
        says: `${all.length === 1 ? '1 lane stands' : `${all.length} lanes stand`} still: ${all.slice(0, SHOWN).join(', ')}`,
        remedy: 'A worker repairs it within `worker.recheck.open`; `lockhound doctor --fix` does it now.',
        fix: {
          what: 'queue lost jobs again and start the first job of each lane',
          apply: async () => {
            for (const { shard } of still) await reconcileOnce(shard, log);
          },
        },
      },
    ];
  },
};

const schedules: Check = {
  subject: 'work',
  name: 'schedules',
  run: async ({ loaded }) =>
    await withFleet(loaded, async (fleet) => {
      const stored = (await firstShard(fleet).schedules.list()).filter(({ removed }) => removed !== true);
      const found = await Promise.all(stored.map((one) => scheduleFaults(loaded, fleet, one)));
      if (found.flat().length > 0) return found.flat();
      if (stored.length === 0) return ok('no schedule is stored');
      return ok(
        stored.length === 1 ? '1 schedule has a next start' : `${stored.length} schedules have a next start`,
      );
    }),
};

async function scheduleFaults(
  loaded: Patient['loaded'],
  fleet: FleetStore,
  schedule: Schedule,
): Promise<readonly Finding[]> {
  const { name, paused, nextRun, lastRun, failing, targets } = await shownSchedule(fleet, schedule);
  if (paused) return note(`schedule ${name} is paused`, `\`lockhound schedules resume ${name}\``);
  if (nextRun === undefined) {
    const what = lastRun === undefined ? 'never ran' : 'does not run any more';
    const fix = {
      what: `store the next start of schedule ${name}`,
      apply: async () => await withFleet(loaded, (opened) => storeSchedule(opened, schedule)),
    };
    return [
      {
        verdict: 'broken',
        says: `schedule ${name} ${what}: it has no next start`,
        remedy: 'Start a worker, or run `lockhound doctor --fix`.',
        fix,
      },
    ];
  }
  if (Date.parse(nextRun) < Date.now() - 600_000)
    return fault(`schedule ${name} was due at ${nextRun}`, 'No worker starts it: check that one runs.');
  if (failing === 0) return [];
  return warning(
    `schedule ${name}: ${failing} of ${targets} sources cannot be read`,
    `\`lockhound schedules get ${name}\` has the reasons.`,
  );
}

async function withFleet<Result>(
  loaded: Patient['loaded'],
  work: (fleet: FleetStore) => Promise<Result>,
): Promise<Result> {
  const fleet = await openFleetStore(loaded);
  try {
    return await work(fleet);
  } finally {
    await fleet.close();
  }
}

const alerts: Check = {
  subject: 'work',
  name: 'alerts',
  async run({ stores }) {
    const [first] = stores.shards;
    const stopped = (await first?.deliveries.stoppedRoutes()) ?? [];
    const counts = await Promise.all(stores.shards.map(({ fleetCounts }) => fleetCounts()));
    const sum = (name: 'failedDeliveries' | 'rejectedPayloads') =>
      counts.reduce((total, shard) => total + shard[name], 0);
    const all = { failedDeliveries: sum('failedDeliveries'), rejectedPayloads: sum('rejectedPayloads') };
    const found = alertFaults(all, stopped).map(({ grade, ...fault }) => ({ verdict: grade, ...fault }));
    return found.length === 0 ? ok('no route is stopped, and no alert failed') : found;
  },
};

export const WORK_CHECKS: readonly Check[] = [failedJobs, contents, lanes, schedules, alerts];
