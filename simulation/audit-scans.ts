import { scanIdOf } from '../src/model/scan/scan-id.ts';
import type { Keys } from '../src/store/keys.ts';
import {
  checkEnd,
  type OfShard,
  OUTCOME_MS,
  PACKAGES,
  type ReceivedAlert,
  type Say,
} from './audit-records.ts';
import { freshFor } from './plan.ts';
import type { AskedScan } from './scans.ts';
import { fieldsOf, type Witness } from './witness.ts';

interface ScanFields {
  readonly state: string;
  /** Why it failed. */
  readonly reason?: string;
  readonly startedAt?: number;
  readonly endedAt?: number;
  readonly lockfiles?: number;
  readonly packages?: number;
  readonly outcomes?: Readonly<Record<string, number>>;
  readonly changes?: Readonly<Record<string, number>>;
  readonly deliveries?: number;
  readonly delivered?: number;
  readonly failedDeliveries?: number;
  readonly incomplete?: boolean;
  readonly unchanged?: boolean;
  readonly unreadFiles?: readonly { readonly reason: string }[];
}

/** Where the records of scans say something else than what was asked for, and what was told. */
export function wrongScans(
  witness: Witness,
  keys: Keys,
  received: readonly ReceivedAlert[],
  happened: OfShard,
): readonly string[] {
  const { asked, targets, calmSince, lost, hadWrongClocks, hasLostWrites } = happened;
  const found: string[] = [];
  const records = fieldsOf(witness.ask('HGETALL', keys.scans));
  const ordered = witness.ask('ZCARD', keys.scanOrder);
  if (ordered !== Object.keys(records).length) found.push(`${ordered} scans are in order`);
  for (const scan of asked) {
    const { id, step } = scan;
    if (!targets.has(step.target)) continue;
    const own = scanIdOf(step.target, id);
    const say: Say = (what) => void found.push(`scan ${own}: ${what}`);
    const text = records[own];
    if (text === undefined) {
      say('it has no record');
      continue;
    }
    const fields = JSON.parse(text) as ScanFields;
    if (scan.at >= calmSince || !isGivenUp(fields)) checkScan(fields, scan, say);
    // A worker claims the id of a scan that another program queued: Redis may lose that write alone. A wrong clock says nothing about when.
    const { endedAt = scan.at } = fields;
    const mayBeLost = hadWrongClocks ? hasLostWrites : lost.has(scan.at, endedAt);
    if (!mayBeLost) checkEnd(witness, keys.requestedScan(own), OUTCOME_MS, say);
    if (scan.at >= calmSince) checkCalm(scan, fields, happened.mayDoubt(step.target), say);
  }
  return [...found, ...wrongCounts(records, received, happened)];
}

/** Three faults hit one job: its lockfile is not read, and a note says so; or it is not judged, and its record says so. */
function isGivenUp({ lockfiles, unreadFiles, state, reason = '' }: ScanFields): boolean {
  if (state === 'failed') return reason.includes('workers died');
  return lockfiles === 0 && unreadFiles?.every(({ reason }) => reason.includes('workers died')) === true;
}

function checkScan(fields: ScanFields, { mayBeLost, step }: AskedScan, say: Say): void {
  const { state, outcomes = {}, lockfiles, packages } = fields;
  if (state !== 'concluded' && state !== 'superseded') say(`it is ${state}`);
  if (mayBeLost === true) return;
  const [files, locked] = step.unread === true ? [0, 0] : [1, PACKAGES];
  if (lockfiles !== files || packages !== locked)
    say(`it has ${packages} packages in ${lockfiles} lockfiles`);
  const accounted = Object.values(outcomes).reduce((sum, count) => sum + count, 0);
  if (accounted !== locked) say(`${accounted} packages are accounted for`);
}

function checkCalm({ at, id, step }: AskedScan, fields: ScanFields, mayDoubt: boolean, say: Say): void {
  const { outcomes, incomplete, unchanged, startedAt = 0, endedAt = 0 } = fields;
  const missing = step.after === 'late' && !id.endsWith('-late') ? 1 : 0;
  if (step.unread === true) {
    if (incomplete !== true) say('it is complete');
  } else if (outcomes?.['resolved'] !== PACKAGES - missing || (outcomes['missing'] ?? 0) !== missing)
    say(`it has ${JSON.stringify(outcomes)}`);
  if (incomplete === true && missing === 0 && !mayDoubt) say('it is not complete');
  if (!(Math.floor(at) <= startedAt && startedAt <= endedAt))
    say(`it began at ${startedAt} and ended at ${endedAt}`);
  // What a scan could not find out is looked up again, and so is what a refresh judged meanwhile.
  if (id.endsWith('-unchanged') && unchanged !== true && !mayDoubt && freshFor(startedAt) === 0)
    say('it was read again');
}

/**
 * What scans say that they changed was told. Of a scan with a delivery that Redis may have lost, another verdict may have told other
 * changes before.
 */
function wrongCounts(
  records: Readonly<Record<string, string>>,
  received: readonly ReceivedAlert[],
  { asked, calmSince, lost }: OfShard,
): readonly string[] {
  const single = received.filter(({ isGathered }) => !isGathered);
  const sent = Map.groupBy(single, ({ alert }) => alert.scan);
  // Faults of services and missing packages lead to notes, which are counted and not told, also when they are resolved.
  const isCalm = received.every(({ at }) => at >= calmSince);
  const late = new Set(
    asked.flatMap(({ id, step }) => (step.after === 'late' ? [scanIdOf(step.target, id)] : [])),
  );
  return Object.entries(records).flatMap(([scan, text]) => {
    const fields = JSON.parse(text) as ScanFields;
    const { deliveries = 0, delivered = 0, failedDeliveries = 0, changes = {} } = fields;
    const own = sent.get(scan) ?? [];
    if (own.some(({ sentAt, at }) => lost.has(sentAt, at))) return [];
    const whole = own.filter(({ path }) => path !== '/change');
    const told = whole.reduce((sum, { alert }) => sum + alert.changes.length + alert.leftOut, 0);
    // What is suppressed from the start is counted and not told.
    const { suppressed: _, ...others } = changes;
    const counted = Object.values(others).reduce((sum, count) => sum + count, 0);
    const counts = `${deliveries} deliveries, ${delivered} delivered and ${failedDeliveries} failed`;
    return [
      ...(deliveries === own.length && delivered === own.length && failedDeliveries === 0
        ? []
        : [`scan ${scan} has ${counts}, not ${own.length}`]),
      ...((isCalm && !late.has(scan) ? told === counted : told <= counted)
        ? []
        : [`scan ${scan} has ${counted} changes, and ${told} were told`]),
    ];
  });
}
