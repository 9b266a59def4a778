import { isDeepStrictEqual } from 'node:util';
import type { Keys } from '../src/store/keys.ts';
import { wrongScans } from './audit-scans.ts';
import type { LostPeriods, Open, SentAlert } from './oracle.ts';
import { BOUNDS, GATHERED, SOURCES } from './plan.ts';
import type { AskedScan } from './scans.ts';
import { type Answer, fieldsOf, textsIn, type Witness } from './witness.ts';
import type { Received } from './world.ts';

/** What has happened so far, as the world outside of Lockhound knows it. */
export interface Happened {
  readonly received: readonly Received[];
  /** Deliveries that were refused once. */
  readonly refused: ReadonlySet<string>;
  readonly asked: readonly AskedScan[];
  readonly open: Open;
  /** From this time on no fault has happened, in virtual milliseconds. */
  readonly calmSince: number;
  /** Whether a clock was wrong: times that were stored are not in the order of what happened. */
  readonly hadWrongClocks: boolean;
  readonly lost: LostPeriods;
  readonly mayDoubt: (target: string) => boolean;
  /** Whether the last lockfile of a target could not be read, and whether any could. */
  readonly isUnread: (target: string) => boolean;
  readonly isKnown: (target: string) => boolean;
  /** Whether a finding of the target is suppressed for some time. */
  readonly isSuppressedIn: (target: string) => boolean;
  /** Whether Redis has lost writes: of what it forgot, it does not know that it has ended. */
  readonly hasLostWrites: boolean;
}

/** An alert as the receiver gets it. */
interface Alert extends SentAlert {
  readonly id: string;
  readonly scan: string;
  readonly route: string;
  readonly counts: Readonly<Record<string, number>>;
  readonly gaps: number;
  readonly leftOut: number;
}

export type Fields = Readonly<Record<string, string>>;
export type Say = (what: string) => void;

const DAY_MS = 86_400_000;
/** Packages that each lockfile has. */
export const PACKAGES = 4;
/** Runs of a schedule that are kept, and what is counted of each at most. */
const KEPT_RUNS = 20;
const COUNTED = 4;
/** How long an outcome stays, and how long its value is readable once it is spent. */
export const OUTCOME_MS = 14 * DAY_MS;
const SPENT_MS = 15 * 60_000;
const RETENTION_MS = 30 * DAY_MS;
/** That a scan changed nothing stays readable. */
const UNCHANGED_BYTES = 400;
/** A history takes less. */
const HISTORY_MS = DAY_MS / 2;
/** A delivery is recorded within this time after it was accepted. */
const RECORDED_MS = 1_000;
/** Outcomes of these jobs are empty when their job is closed; those of all others are removed. */
const MARKED =
  /^(?:ingest-lockfiles|judge-scan|deliver-notification|refresh-fleet|finish-refresh|select-targets|check-freshness|advise-upgrades|look-up-exceptions|gather-digest|run-schedule|judge-source)$/;

/** Where the records of a shard say something else than what happened. */
export function wrongRecords(witness: Witness, keys: Keys, happened: Happened): readonly string[] {
  const found: string[] = [];
  const say: Say = (what) => void found.push(what);
  const targets = new Set(textsIn(witness.ask('SMEMBERS', keys.targets)));
  const received = happened.received.flatMap((one) => {
    const alert = JSON.parse(one.body) as Alert;
    const isGathered = GATHERED.has(one.path) || alert.reminder;
    const isOwn = isGathered ? witness.ask('EXISTS', keys.delivery(one.id)) === 1 : targets.has(alert.target);
    return isOwn ? [{ ...one, alert, isGathered }] : [];
  });
  for (const one of received) checkDelivery(witness, keys, one, happened, say);
  checkLists(witness, keys, received, { targets, ...happened }, say);
  found.push(...wrongScans(witness, keys, received, { targets, ...happened }));
  checkOutcomes(witness, keys, happened, say);
  const due = new Set(textsIn(witness.ask('ZRANGE', keys.dueTargets, '0', '-1')));
  for (const target of targets) {
    if (!target.startsWith('lockhound:')) checkTarget(witness, keys, target, happened, say);
    if (due.has(target) !== happened.isSuppressedIn(target))
      say(`${target} is ${due.has(target) ? '' : 'not '}due`);
  }
  for (const schedule of SOURCES) checkSchedule(witness, keys, schedule, say);
  const refreshed = JSON.parse(textOf(witness.ask('HGET', keys.refreshes, 'all')) ?? '{}') as Fields;
  for (const name of ['failed', 'unanswered'])
    if (Number(refreshed[name] ?? 1) !== 0) say(`the last refresh has ${refreshed[name]} ${name}`);
  return found;
}

function checkSchedule(witness: Witness, keys: Keys, schedule: string, say: Say): void {
  const runs = Number(witness.ask('HLEN', keys.scheduleRuns(schedule)));
  const counts = Number(witness.ask('HLEN', keys.scheduleCounts(schedule)));
  if (runs > KEPT_RUNS || counts > KEPT_RUNS * COUNTED)
    say(`${schedule} has ${runs} runs and ${counts} counts`);
  // Otherwise each run reads the source again.
  const [watched, readings] = [keys.watchedTargets(schedule), keys.sourceReadings(schedule)].map((key) =>
    witness.ask('HLEN', key),
  );
  if (readings !== watched) say(`${readings} readings of ${schedule} are stored, not ${watched}`);
  // The next run would be skipped, and so would each one after it.
  const open = Number(witness.ask('HLEN', keys.openTargets(schedule)));
  if (open > 0) say(`a run of ${schedule} has ${open} targets that are not read`);
}

export interface ReceivedAlert extends Received {
  readonly alert: Alert;
  /** Whether it has the changes of several scans. */
  readonly isGathered: boolean;
}

function checkAlert(id: string, { changes, counts, ...alert }: Alert, isCalm: boolean, say: Say): void {
  if (alert.id !== id) say(`its alert has the id ${alert.id}`);
  // Which answers a scan got while a service failed is not known here.
  if (isCalm && alert.gaps !== 0) say(`its alert has ${alert.gaps} gaps`);
  for (const [name, count] of Object.entries(counts))
    if (count !== changes.filter(({ transition }) => transition === name).length) say(`${count} ${name}`);
}

function checkDelivery(
  witness: Witness,
  keys: Keys,
  { id, at, lastAt, sentAt, alert, isGathered }: ReceivedAlert,
  { refused, calmSince, hadWrongClocks, lost, mayDoubt }: Happened,
  sayOf: Say,
): void {
  const say: Say = (what) => sayOf(`delivery ${id}: ${what}`);
  const { changes, leftOut } = alert;
  const record = fieldsOf(witness.ask('HGETALL', keys.delivery(id)));
  // When it was filed, its verdict had seen what was true then.
  const isCalm = Number(record['filedAt']) >= calmSince;
  const isDoubted = changes.some((change) => mayDoubt(change.target ?? alert.target));
  checkAlert(id, alert, isCalm && !isDoubted, say);
  // Redis may have lost it with the verdict that it follows from, and not get another verdict with it.
  const mayBeLost = lost.has(sentAt, lastAt);
  if (record['state'] === undefined) {
    if (!mayBeLost) say('it has no record');
    return;
  }
  const { scan, route } = alert;
  const target = isGathered ? '*' : alert.target;
  const always: Fields = { target, scan, route, state: 'delivered', reason: '', nextAttemptAt: '' };
  // Where Redis has lost it, only its identity is known.
  const filed: Fields = mayBeLost ? {} : { changes: `${changes.length + leftOut}`, lastStatus: '200' };
  const calm: Fields = isCalm ? { attempts: refused.has(id) ? '2' : '1' } : {};
  for (const [name, value] of Object.entries({ ...always, ...filed, ...calm }))
    if (record[name] !== value) say(`${name} is ${record[name]}, not ${value}`);
  const attempts = textsIn(witness.ask('LRANGE', keys.deliveryAttempts(id), '0', '-1'));
  if (!mayBeLost && attempts.length !== Number(record['attempts']))
    say(`${attempts.length} attempts are stored`);
  for (const key of [keys.delivery(id), keys.deliveryAttempts(id)])
    if (attempts.length > 0) checkEnd(witness, key, RETENTION_MS, say);
  if (!hadWrongClocks && !mayBeLost) checkTimes(record, { sentAt, at, isCalm }, say);
}

/** A worker that dies before it records an attempt has another one make it. */
function checkTimes(
  { filedAt, updatedAt }: Fields,
  { sentAt, at, isCalm }: { readonly sentAt: number; readonly at: number; readonly isCalm: boolean },
  say: Say,
): void {
  const latest = isCalm ? at + RECORDED_MS : Number.POSITIVE_INFINITY;
  const updated = Number(updatedAt);
  if (!(Number(filedAt) <= sentAt && updated >= Math.floor(sentAt) && updated <= latest))
    say(`it was filed at ${filedAt}, sent at ${sentAt}, received at ${at} and recorded at ${updatedAt}`);
}

export interface OfShard extends Happened {
  readonly targets: ReadonlySet<string>;
}

/** What may be lost may be listed: it may have been sent again. */
function checkLists(
  witness: Witness,
  keys: Keys,
  received: readonly ReceivedAlert[],
  { targets, lost }: OfShard,
  say: Say,
): void {
  const known = new Set(received.map(({ id }) => id));
  const kept = received.filter(({ sentAt, at }) => !lost.has(sentAt, at));
  const delivered = new Set(textsIn(witness.ask('ZRANGE', keys.delivered, '0', '-1')));
  for (const id of delivered)
    if (!known.has(id)) say(`delivery ${id} counts as delivered and was not received`);
  for (const { id } of kept) if (!delivered.has(id)) say(`delivery ${id} is not listed`);
  for (const target of targets) {
    const isOwn = ({ alert, isGathered }: ReceivedAlert): boolean => !isGathered && alert.target === target;
    const listed = new Set(textsIn(witness.ask('LRANGE', keys.targetDeliveries(target), '0', '-1')));
    const [least, most] = [kept, received].map((all) => Math.min(BOUNDS.LISTED, all.filter(isOwn).length));
    if (listed.size < Number(least) || listed.size > Number(most))
      say(`${target} has ${listed.size} deliveries, not ${least} to ${most}`);
    for (const id of listed) if (!known.has(id)) say(`${target} lists ${id}`);
  }
}

function checkOutcomes(witness: Witness, keys: Keys, { hasLostWrites }: Happened, say: Say): void {
  const start = keys.outcome('', '').slice(0, -1);
  const names = textsIn(witness.ask('KEYS', `${start}*`));
  const [sizes, ends] = ['STRLEN', 'PTTL'].map((what) => witness.askAll(names.map((name) => [what, name])));
  for (const [index, name] of names.entries()) {
    const [job = ''] = name.slice(start.length).split(':', 1);
    const size = Number(sizes?.[index]);
    checkTimeLeft(name, Number(ends?.[index]), OUTCOME_MS, say);
    // A job whose record was lost is not closed.
    if (hasLostWrites) continue;
    if (!MARKED.test(job)) say(`${name} is there`);
    else if (size > (job === 'ingest-lockfiles' ? UNCHANGED_BYTES : 0)) say(`${name} has ${size} bytes`);
  }
  const spent = keys.spentOutcome('', '').slice(0, -1);
  for (const name of textsIn(witness.ask('KEYS', `${spent}*`))) {
    const left = Number(witness.ask('PTTL', name));
    if (left < 0 || left > SPENT_MS) say(`${name} ends in ${left} ms`);
  }
}

/** A summary says what is open, and what its producer said last. */
function checkTarget(
  witness: Witness,
  keys: Keys,
  target: string,
  { open, asked, calmSince, isKnown, isUnread }: Happened,
  sayOf: Say,
): void {
  const say: Say = (what) => sayOf(`${target} ${what}`);
  const text = textOf(witness.ask('HGET', keys.targetSummaries, target));
  if (text === undefined) {
    say('has no summary');
    return;
  }
  const summary = JSON.parse(text) as {
    readonly open: Readonly<Record<string, number>>;
    readonly packages: number;
    readonly labels: Fields;
    readonly incomplete?: boolean;
  };
  if (summary.packages !== (isKnown(target) ? PACKAGES : 0)) say(`has ${summary.packages} packages`);
  const last = asked.findLast(({ step }) => step.target === target);
  const labels = last?.labels ?? { name: target };
  if (!isDeepStrictEqual(summary.labels, labels)) say(`has the labels ${JSON.stringify(summary.labels)}`);
  const isIncomplete = summary.incomplete === true;
  // A fault may delay the scan before one whose lockfile could not be read.
  const isOld = last === undefined || last.at < calmSince;
  if (isIncomplete !== isUnread(target) && (isIncomplete || !isOld))
    say(`is ${isIncomplete ? 'in' : ''}complete`);
  const expected = Map.groupBy(
    [...open].filter(([key]) => key.startsWith(`${target} `)),
    ([, severity]) => severity,
  );
  for (const severity of ['critical', 'high', 'medium', 'low']) {
    const [is, must] = [summary.open[severity] ?? 0, expected.get(severity)?.length ?? 0];
    if (is !== must) say(`has ${is} findings that are ${severity}, not ${must}`);
  }
}

/** A key expires after a time, less what a history takes. */
export function checkEnd(witness: Witness, key: string, ms: number, say: Say): void {
  checkTimeLeft(key, Number(witness.ask('PTTL', key)), ms, say);
}

function checkTimeLeft(key: string, left: number, ms: number, say: Say): void {
  if (left > ms || left < ms - HISTORY_MS) say(`${key} ends in ${left} ms`);
}

function textOf(answer: Answer): string | undefined {
  return typeof answer === 'string' ? answer : undefined;
}
