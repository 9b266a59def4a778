import type { HealthPart, HealthVerdict } from '../../model/api/lockhound-api.generated.ts';
import type { Found, Verdict } from '../../model/fleet/checks.ts';
import { broken, degraded, fine, unknown, worstVerdict } from '../../model/fleet/checks.ts';
import { judgeFacts } from './facts.ts';
import type { HealthFacts } from './health-facts.ts';
import { bottlenecks } from './limits.ts';
import { count, span } from './words.ts';

/** Judges a deployment. A pure function: the command, the API and the page show the same. */
export function judgeHealth(facts: HealthFacts): HealthVerdict {
  const answers: Readonly<Record<HealthPart['part'], Found | readonly Found[]>> = {
    flow: judgeFlow(facts),
    runs: judgeRuns(facts),
    facts: judgeFacts(facts),
    telemetry: judgeTelemetry(facts),
    limits: bottlenecks(facts),
  };
  const parts = Object.entries(answers).flatMap(([part, found]) =>
    [found].flat().map((one): HealthPart => ({ part: part as HealthPart['part'], ...one })),
  );
  const verdict = worstVerdict(parts.map((part) => part.verdict));
  return { verdict, summary: summaryOf(verdict, parts), parts, at: new Date(facts.now).toISOString() };
}

/** The verdict when Redis does not answer, so that nothing else is known. */
export function unreachableVerdict(reason: string, now: number): HealthVerdict {
  const remedy =
    'Start Redis, or correct redis.url; `lockhound doctor` checks the rest. Workers continue by themselves.';
  return nothingWorks('Redis does not answer', broken(`Redis does not answer: ${reason}`, remedy), now);
}

/** The verdict when one thing keeps everything from working. */
export function nothingWorks(summary: string, why: Found, now: number): HealthVerdict {
  const parts = [{ part: 'flow' as const, ...why }];
  return {
    verdict: why.verdict,
    summary: `Nothing works: ${summary}.`,
    parts,
    at: new Date(now).toISOString(),
  };
}

function summaryOf(verdict: Verdict, parts: readonly HealthPart[]): string {
  if (verdict === 'fine') return 'Everything works.';
  const first = parts.find((part) => part.verdict === verdict);
  const others = parts.filter((part) => part.verdict !== 'fine').length - 1;
  const more = others === 0 ? '' : ` (and ${others} more)`;
  const lead = {
    broken: 'Something does not work',
    degraded: 'It works, with something to look at',
    unknown: 'It is not known whether everything works',
  }[verdict];
  return `${lead}: ${first?.says}${more}.`;
}

/** Records that are missing for so many intervals are missing. */
const MISSED = 4;
const SKEW_MS = 5_000;

/** Is what the workers say about themselves fresh? */
function judgeTelemetry({ workers, settings, now }: HealthFacts): Found {
  const running = workers.filter((one) => one.running).map(({ record }) => record);
  const died = workers.filter((one) => !one.running).map(({ record }) => record);
  // A record in the future cannot be old.
  const ahead = running.find(({ seenAt }) => Date.parse(seenAt) - now > SKEW_MS);
  if (ahead !== undefined)
    return degraded(
      `the clock of worker ${nameOf(ahead)} is ahead (${ahead.seenAt})`,
      'Synchronise the clocks (NTP).',
    );
  const late = running.find(({ seenAt }) => now - Date.parse(seenAt) > MISSED * settings.recordEveryMs);
  if (late !== undefined)
    return degraded(
      `worker ${nameOf(late)} has not reported for ${span(now - Date.parse(late.seenAt))}`,
      'Its clock may be wrong (NTP), or its event loop blocked.',
    );
  const faults = new Set(running.flatMap((record) => record.faults ?? []));
  if (faults.size > 0)
    return degraded(
      `imported data are not whole or not up to date: ${[...faults].join('; ')}`,
      'Import them again (`lockhound data import`).',
    );
  const lost = running.filter(({ traces }) => traces === 'lost');
  if (lost.length > 0)
    return degraded(
      `traces of ${count(lost.length, 'worker')} are lost: the exporter fails`,
      'Check the collector; the log of the worker has the error.',
    );
  const releases = [...new Set(running.map(({ release }) => release))].sort();
  if (releases.length > 1)
    return degraded(
      `workers of several releases run: ${releases.join(', ')}`,
      'Complete the upgrade, unless it is in progress: older workers leave jobs of newer ones to them.',
    );
  if (died.length > 0)
    return degraded(
      `${count(died.length, 'worker')} ended without stopping in the last hour: ${died.map(nameOf).join(', ')}`,
      'Look for the last log lines, and at the memory limit; the jobs run elsewhere.',
    );
  // Nobody reports: nothing is known, and another part says that no worker runs.
  if (running.length === 0) return unknown('no worker reports', 'Start a worker.');
  const release = releases[0] === undefined ? '' : ` of release ${releases[0]}`;
  const verb = running.length === 1 ? 'reports' : 'report';
  return fine(`${count(running.length, 'worker')}${release} ${verb} regularly`);
}

function nameOf({ host, pid }: { readonly host: string; readonly pid: number }): string {
  return `${host} (process ${pid})`;
}

/** An undelivered alert of this age needs an operator, even if attempts are left or its webhook is not on the platform. */
const UNDELIVERED_MS = 3_600_000;
/** Deliveries have their own sentence. */
const DELIVERY_QUEUE = 'deliver-notification';
const MOST = 0.5;

/** Do runs succeed? One sentence for each thing that did not. */
function judgeRuns({ numbers, workers, now }: HealthFacts): readonly Found[] {
  const { counts, stoppedRoutes, queues, unreadable } = numbers;
  const failed = queues.filter((queue) => queue.failed > 0 && queue.queue !== DELIVERY_QUEUE);
  const failedJobs = failed.reduce((sum, queue) => sum + queue.failed, 0);
  const found: Found[] = [];
  const loads = workers.filter((one) => one.running).map(({ record }) => record.load);
  const requests = loads.reduce((sum, load) => sum + load.requests, 0);
  const unanswered = loads.reduce((sum, load) => sum + load.unanswered, 0);
  if (requests > 0 && unanswered / requests >= MOST) {
    const says = `the insights service fails: ${unanswered} of the last ${count(requests, 'request')} had no usable answer`;
    const remedy = 'Scans wait for it, and nothing is lost. `lockhound doctor` says how it fails.';
    found.push((unanswered === requests ? broken : degraded)(says, remedy));
  }
  for (const { route, at, reason } of stoppedRoutes) {
    const says = `route ${route} is stopped since ${at} (${reason}), and its alerts are held`;
    found.push(broken(says, `Repair the receiver, then run \`lockhound deliveries resume ${route}\`.`));
  }
  const add = (number: number, verdict: typeof broken, says: string, remedy: string): void => {
    if (number > 0) found.push(verdict(says, remedy));
  };
  const {
    openDeliveries: open,
    failedDeliveries,
    rejectedPayloads,
    incompleteTargets,
    failingSources,
  } = counts;
  const { oldestDelivery = now } = numbers;
  if (now - oldestDelivery > UNDELIVERED_MS) {
    const says = `${count(open, 'alert is', 'alerts are')} not delivered, the oldest for ${span(now - oldestDelivery)}`;
    found.push(broken(says, 'Run `lockhound deliveries`: it shows why. Then `lockhound doctor`.'));
  }
  const retry =
    'Run `lockhound deliveries --state failed`, then `lockhound deliveries retry --state failed`.';
  add(failedDeliveries, broken, `${count(failedDeliveries, 'alert')} failed permanently`, retry);
  const payloads = count(rejectedPayloads, 'payload of a producer was', 'payloads of producers were');
  add(rejectedPayloads, degraded, `${payloads} refused`, 'Run `lockhound rejected`.');
  const where = failed.map(({ queue, failed: jobs }) => `${queue} ${jobs}`).join(', ');
  const jobs = `${count(failedJobs, 'job')} failed permanently (${where})`;
  add(failedJobs, degraded, jobs, 'Run `lockhound doctor`: it lists the reasons.');
  const incomplete = `the last scan of ${count(incompleteTargets, 'target')} was incomplete`;
  add(
    incompleteTargets,
    degraded,
    incomplete,
    'Run `lockhound scans`: it shows what the scans could not see.',
  );
  const sources = `the sources of ${count(failingSources, 'target')} cannot be read`;
  add(failingSources, degraded, sources, 'Run `lockhound schedules`.');
  found.push(...archiveProblem(numbers.archives, now));
  const values = `${count(unreadable, 'stored value')} cannot be read`;
  add(unreadable, degraded, values, 'The log names the keys and what to do.');
  if (found.length > 0) return found;
  const rest = open === 0 ? 'every alert is delivered' : `${count(open, 'alert')} on the way`;
  return [fine(`runs succeed: no job failed permanently, ${rest}`)];
}

/** Workers move old blocks of ledgers daily. */
const ARCHIVE_LATE_MS = 3 * 86_400_000;

function archiveProblem(archives: HealthFacts['numbers']['archives'], now: number): readonly Found[] {
  const late = archives.find(({ error, succeededAt = now }) => error ?? now - succeededAt > ARCHIVE_LATE_MS);
  if (late === undefined) return [];
  const waiting = archives.reduce((sum, one) => sum + one.waiting, 0);
  const { error = 'no worker moves them', succeededAt } = late;
  const since = succeededAt === undefined ? 'never succeeded' : `succeeded ${span(now - succeededAt)} ago`;
  const says = `${count(waiting, 'old block')} of ledgers wait${waiting === 1 ? 's' : ''} for the storage, whose last pass ${since}: ${error}`;
  return [degraded(says, 'Run `lockhound doctor`, and correct `ledger.storage`; the next pass moves them.')];
}

/** A job that could run is late after this time. */
const LATE_MS = 15 * 60_000;

/** Jobs of scans. They are delayed only until another attempt. */
const SCAN_QUEUES: ReadonlySet<string> = new Set([
  'scan-source',
  'ingest-lockfiles',
  'collect-advisories',
  'expand-dependencies',
  'judge-scan',
  'find-base-image',
]);

/** Does work flow? */
function judgeFlow({ numbers, workers, shards }: HealthFacts): Found {
  const { queues } = numbers;
  const running = workers.filter((one) => one.running);
  const waiting = queues.reduce((sum, queue) => sum + queue.waiting, 0);
  const active = queues.reduce((sum, queue) => sum + queue.active, 0);
  const oldest = queues.reduce(
    (one, queue) => (queue.oldestMs > one.oldestMs ? queue : one),
    queues[0] ?? NONE,
  );
  const waits = `${count(waiting, 'job')} wait${waiting === 1 ? 's' : ''}`;
  if (running.length === 0) {
    const start = 'Start a worker: `lockhound worker`.';
    if (waiting + active === 0 && oldest.oldestMs === 0) return degraded('no worker runs', start);
    const since = oldest.oldestMs === 0 ? '' : `, the oldest for ${span(oldest.oldestMs)}`;
    // A delayed job whose time has come is not counted among those that wait.
    const work = waiting === 0 && oldest.oldestMs > 0 ? 'a job is due' : waits;
    return broken(`no worker runs, and ${work}${since}`, start);
  }
  const all = Array.from({ length: shards }, (_, index) => index);
  const covered = new Set(running.flatMap(({ record }) => record.shards ?? all));
  const missing = all.filter((index) => !covered.has(index));
  if (missing.length > 0)
    return broken(`no worker runs the jobs of shard ${missing.join(', ')}`, 'Start one with `--shard`.');
  const finished = running.reduce((sum, { record }) => sum + record.load.finished, 0);
  const what = `${waits}, ${active} run${active === 1 ? 's' : ''} in ${count(running.length, 'worker')}`;
  if (oldest.oldestMs > LATE_MS) {
    const late = `the oldest job of ${oldest.queue} has waited for ${span(oldest.oldestMs)}`;
    return finished === 0
      ? broken(
          `work stands still: ${late}, and no job finished lately`,
          'Look at the log of the workers, then run `lockhound doctor`.',
        )
      : degraded(`work is late: ${late}`, 'See the bottleneck below; otherwise start more workers.');
  }
  const since = oldest.oldestMs < 1_000 ? '' : `, the oldest for ${span(oldest.oldestMs)}`;
  const failing = queues.reduce((sum, one) => sum + (SCAN_QUEUES.has(one.queue) ? one.delayed : 0), 0);
  if (failing === 0) return fine(`work flows: ${what}${since}`);
  const says = `${what}${since}; ${count(failing, 'job')} of scans failed and will run again`;
  if (finished > 0) return fine(`work flows: ${says}`);
  const remedy = 'The log of the workers has the reasons; `lockhound doctor` checks what scans need.';
  return degraded(`no job finished lately: ${says}`, remedy);
}

const NONE = { queue: '', waiting: 0, active: 0, delayed: 0, parents: 0, failed: 0, oldestMs: 0 };
