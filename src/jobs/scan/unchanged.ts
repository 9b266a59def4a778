import { createHash } from 'node:crypto';
import type { ScanBasis, ScanInput, TargetState } from '../../model/scan/change.ts';
import type { Inventory } from '../../model/scan/inventory.ts';
import { imageScanOf } from '../../model/scan/scan-id.ts';
import { judgedTimes, laterScans, nextRevision, type ScanScope } from '../../policy/scan-order.ts';
import { contentHash } from '../../scan/read.ts';
import { historyAfter } from '../../scan/target-lockfiles.ts';
import type { JobRun } from '../job.ts';
import type { IngestLockfiles } from '../payloads/ingest-lockfiles.ts';
import { imageSteps } from '../payloads/judge-scan.ts';
import type { ReusePort } from '../ports.ts';
import { unchangedRecord } from './record.ts';

/**
 * The input of a scan, for comparison with that of the target's last one. `undefined` for a scan whose result is never reused: it
 * names only some lockfiles, or one that the producer could not read.
 */
export function inputOf(
  { target, lockfiles, partial = false, supportedUntil }: IngestLockfiles,
  { settings }: ReusePort,
  readAt: number,
): ScanInput | undefined {
  if (partial || lockfiles.some(isUnread)) return undefined;
  const hash = createHash('sha256').update(settings);
  const labels = Object.entries(target.labels).sort(([left], [right]) => (left < right ? -1 : 1));
  hash.update(JSON.stringify(labels));
  // Another day is part of what the list of the fleet has, which a repetition does not write.
  if (supportedUntil !== undefined) hash.update(supportedUntil);
  for (const file of lockfiles) {
    hash.update(JSON.stringify([file.path, file.format, hashOf(file)]));
    for (const one of file.companions ?? []) hash.update(JSON.stringify([one.name, hashOf(one)]));
  }
  return { hash: hash.digest('hex'), readAt };
}

/** Returns the basis of the last scan, when this scan has the same input and its facts are fresh. */
export function reusableBasis(
  state: TargetState | undefined,
  scan: ScanScope,
  input: ScanInput | undefined,
  { recordMs, missMs }: ReusePort,
): ScanBasis | undefined {
  const basis = state?.basis;
  if (input === undefined || basis?.hash !== input.hash || laterScans(state, scan).superseded)
    return undefined;
  const fresh = basis.counts.outcomes.missing > 0 ? missMs : recordMs;
  return input.readAt - basis.readAt < fresh ? basis : undefined;
}

/** Concludes a scan with the findings of the last one. Nothing is read, looked up or judged. */
export function repeatLastScan(
  payload: IngestLockfiles,
  state: TargetState,
  { counts }: ScanBasis,
): JobRun<Inventory> {
  const { scan, target, image } = payload;
  const { revision } = state;
  const times = judgedTimes(state, scopeOf(payload));
  return {
    result: { lockfiles: [], unread: [], unchanged: { target: target.id, counts } },
    next: imageSteps({ ...payload, scan: imageScanOf(scan) }, image),
    record: unchangedRecord(payload, counts),
    state: {
      target: target.id,
      replaces: revision,
      state: {
        ...state,
        ...times,
        revision: nextRevision(revision),
        scan,
        history: historyAfter(state, payload, { changes: [], gaps: 0 }, { unchanged: true }),
      },
    },
  };
}

export function scopeOf({ requestedAt, partial = false, lockfiles }: IngestLockfiles): ScanScope {
  return { requestedAt, partial, paths: lockfiles.map(({ path }) => path) };
}

type File = IngestLockfiles['lockfiles'][number];
type Companion = NonNullable<File['companions']>[number];

function isUnread(file: File): boolean {
  return 'unread' in file || (file.companions ?? []).some((one) => 'unread' in one);
}

function hashOf(file: File | Companion): string | undefined {
  return 'unread' in file ? undefined : contentHash(file);
}
