import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { QUEUES } from '../../compose/fleet-numbers.ts';
import { type FleetStore, openFleetStore } from '../../compose/fleet-store.ts';
import { reconcileOnce } from '../../compose/lost-work.ts';
import type { Store } from '../../compose/store.ts';
import { DELIVER_NOTIFICATION } from '../../jobs/payloads/deliver-notification.ts';
import { INGEST_LOCKFILES } from '../../jobs/payloads/ingest-lockfiles.ts';
import { closing } from '../../model/closing.ts';
import { messageOf } from '../../model/errors.ts';
import { broken, degraded, fine } from '../../model/fleet/checks.ts';
import { isObject } from '../../model/json-object.ts';
import type { Schedule } from '../../model/watch/schedule.ts';
import { firstShard } from '../../operations/context.ts';
import { shownSchedule, storeSchedule } from '../../operations/schedules/schedules.ts';
import { newObject } from '../../store/fleet/ledger-reference.ts';
import { type Check, check, type Finding, type Patient } from './check.ts';

const SHOWN = 3;
/** Waiting scans whose contents are looked for: the oldest ones lose theirs first. */
const SAMPLE = 50;
const MAX_REASON = 300;

/** Jobs that failed permanently, with the newest reasons. */
const failedJobs = check('work', 'failed jobs', async ({ stores }) => {
  const found = (await Promise.all(stores.shards.map(failedIn))).flat();
  return found.length === 0 ? fine('no job failed permanently') : found;
});

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
      return degraded(`${queue}: ${failed} failed permanently. Newest: ${reasons}`, remedy);
    }),
  );
}

/** Contents that expire before a worker reads them. */
const contents = check('work', 'contents', async ({ stores, loaded }) => {
  const waiting = (await Promise.all(stores.shards.map((shard) => oldestScans(shard)))).flat();
  if (waiting.length === 0) return fine('no scan waits');
  const missing = waiting.filter(({ complete }) => !complete).length;
  const oldest = Math.max(...waiting.map(({ ageMs }) => ageMs));
  const days = (ms: number) => `${(ms / 86_400_000).toFixed(1)} days`;
  if (missing > 0) {
    const says = `contents of ${missing} of the ${waiting.length} oldest waiting scans are no longer stored`;
    const remedy =
      'Producers have to enqueue them again; raise `lockfiles.retention`, and start more workers.';
    return broken(says, remedy);
  }
  const says = `the contents of the ${waiting.length} oldest waiting scans are stored`;
  if (oldest < loaded.config.lockfiles.retention / 2) return fine(says);
  return degraded(
    `${says}, but one has waited for ${days(oldest)}`,
    'Start more workers, or raise `lockfiles.retention`.',
  );
});

async function oldestScans({ queueDepths, blobs }: Store) {
  const jobs = await queueDepths.oldestData(INGEST_LOCKFILES.name, SAMPLE);
  return await Promise.all(
    jobs.map(async ({ data, timestamp }) => {
      const hashes = [...data.matchAll(/"sha256":"([0-9a-f]{64})"/g)].map(([, hash = '']) => hash);
      return { complete: await blobs.keep([...new Set(hashes)]), ageMs: Date.now() - timestamp };
    }),
  );
}

const lanes = check('work', 'lanes', async ({ stores, log }) => {
  const looked = await Promise.all(
    stores.shards.map(async (shard) => ({ shard, ...(await findStillLanes(shard)) })),
  );
  const still = looked.filter((one) => one.lanes.length > 0);
  if (still.length === 0 && looked.some(({ isCut }) => isCut))
    return degraded(
      `no lane stands still in the first ${MAX_OPEN_JOBS} open jobs; the others are not known`,
      'Start more workers: a worker looks at all of them.',
    );
  if (still.length === 0) return fine('every lane has a job that can run');
  const all = still.flatMap((one) => one.lanes);
  const says = `${all.length === 1 ? '1 lane stands' : `${all.length} lanes stand`} still: ${all.slice(0, SHOWN).join(', ')}`;
  const fix = {
    what: 'queue lost jobs again and start the first job of each lane',
    apply: async () => {
      for (const { shard } of still) await reconcileOnce(shard, log);
    },
  };
  return { ...broken(says, 'A worker repairs it within `worker.recheck.open`; `--fix` does it now.'), fix };
});

const schedules = check(
  'work',
  'schedules',
  async ({ loaded }) =>
    await closing(openFleetStore(loaded), async (fleet) => {
      const stored = (await firstShard(fleet).schedules.list()).filter(({ removed }) => removed !== true);
      const found = (await Promise.all(stored.map((one) => scheduleFaults(loaded, fleet, one)))).flat();
      if (found.length > 0) return found;
      if (stored.length === 0) return fine('no schedule is stored');
      return fine(
        stored.length === 1 ? '1 schedule has a next start' : `${stored.length} schedules have a next start`,
      );
    }),
);

async function scheduleFaults(
  loaded: Patient['loaded'],
  fleet: FleetStore,
  schedule: Schedule,
): Promise<Finding | readonly Finding[]> {
  const { name, paused, nextRun, lastRun, failing, targets } = await shownSchedule(fleet, schedule);
  if (paused) return fine(`schedule ${name} is paused`, `\`lockhound schedules resume ${name}\``);
  if (nextRun === undefined) {
    const what = lastRun === undefined ? 'never ran' : 'does not run any more';
    const fix = {
      what: `store the next start of schedule ${name}`,
      apply: () => closing(openFleetStore(loaded), (opened) => storeSchedule(opened, schedule)),
    };
    const remedy = 'Start a worker, or run `lockhound doctor --fix`.';
    return { ...broken(`schedule ${name} ${what}: it has no next start`, remedy), fix };
  }
  if (Date.parse(nextRun) < Date.now() - 600_000)
    return broken(`schedule ${name} was due at ${nextRun}`, 'No worker starts it: check that one runs.');
  if (failing === 0) return [];
  return degraded(
    `schedule ${name}: ${failing} of ${targets} sources cannot be read`,
    `\`lockhound schedules get ${name}\` has the reasons.`,
  );
}

/** Old blocks of ledgers leave Redis only while the storage takes objects, and are known only while it returns them. */
const ledgerStorage = check('work', 'ledger storage', async ({ stores: { storage } }) => {
  if (storage === undefined) return [];
  const remedy =
    'Correct `ledger.storage`. Until then older parts of ledgers are not known, and old blocks stay in Redis.';
  const [name, content] = [newObject(), randomBytes(16)];
  try {
    const read = await storage
      .put(name, content)
      .then(() => storage.get(name))
      .catch(async (error) => {
        await storage.remove(name).catch(() => {});
        throw error;
      });
    await storage.remove(name);
    if (read?.equals(content) === true) return fine('the storage writes, returns and removes objects');
    return broken('the storage does not return what was written', remedy);
  } catch (error) {
    return broken(messageOf(error), remedy);
  }
});

export const WORK_CHECKS: readonly Check[] = [failedJobs, contents, lanes, schedules, ledgerStorage];

/** A job that may run is promoted at once; one that is delayed for longer than this was forgotten. */
const FORGOTTEN_MS = 60_000;
const MAX_OPEN_JOBS = 50_000;
const SECOND_LOOK_MS = 1_000;

/**
 * Names of lanes whose first job will not run soon although it may: it is in no queue, or delayed as if it waited for its turn. Alerts
 * of stopped routes wait on purpose. Looks at 50,000 open jobs at most; `isCut` says that there are more.
 */
async function findStillLanes({ openJobs, deliveries, queueDepths }: Store) {
  const stopped = new Set((await deliveries.stoppedRoutes()).map(({ route }) => route));
  const seen = new Set<string>();
  const suspects: { readonly lane: string; readonly job: string; readonly first: string }[] = [];
  let looked = 0;
  for await (const { lane, id, job, data } of openJobs.list()) {
    looked += 1;
    if (looked > MAX_OPEN_JOBS) break;
    if (lane === undefined || seen.has(lane)) continue;
    seen.add(lane);
    const route = isObject(data.payload) ? String(data.payload['route']) : '';
    if (job === DELIVER_NOTIFICATION.name && stopped.has(route)) continue;
    const turn = await openJobs.turn({ lane, id });
    const first = turn.kind === 'waiting' ? turn.first : id;
    if (!(await queueDepths.willRun(job, first, FORGOTTEN_MS))) suspects.push({ lane, job, first });
  }
  const isCut = looked > MAX_OPEN_JOBS;
  if (suspects.length === 0) return { lanes: [] as readonly string[], isCut };
  // A lane that went on meanwhile is no fault.
  await sleep(SECOND_LOOK_MS);
  const lanes: string[] = [];
  for (const { lane, job, first } of suspects) {
    const isFirst = (await openJobs.turn({ lane, id: first })).kind === 'first';
    if (isFirst && !(await queueDepths.willRun(job, first, FORGOTTEN_MS))) lanes.push(lane);
  }
  return { lanes, isCut };
}
