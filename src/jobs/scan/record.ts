import { isReadWhole } from '../../model/lockfile/read-whole.ts';
import type { ScanCounts, Target } from '../../model/scan/change.ts';
import type { Inventory } from '../../model/scan/inventory.ts';
import type { ScanRecordUpdate } from '../../model/scan/scan-record.ts';
import type { Verdict } from '../../model/scan/verdict.ts';
import { countTransitions } from '../../policy/worst-changes.ts';
import { countOutcomes } from '../../scan/counts.ts';
import { nonZero } from '../../scan/target-lockfiles.ts';

/** The fields that all jobs of a scan have. */
export interface ScanHeader {
  readonly scan: string;
  readonly target: Target;
  readonly requestedAt: string;
  readonly partial?: boolean | undefined;
}

const MAX_UNREAD_FILES = 3;
const MAX_REASON_LENGTH = 200;

/** The record of a scan whose lockfiles were read. */
export function ingestedRecord(
  { scan, target, requestedAt }: ScanHeader,
  { lockfiles, unread }: Inventory,
): ScanRecordUpdate {
  const outcomes = countOutcomes(lockfiles);
  const problems = lockfiles.reduce((sum, file) => sum + file.problems.length, 0);
  const files = unread.slice(0, MAX_UNREAD_FILES).map(({ path, error }) => ({
    path: path.slice(0, MAX_REASON_LENGTH),
    reason: error.message.slice(0, MAX_REASON_LENGTH),
  }));
  return {
    scan,
    target: target.id,
    state: 'running',
    requestedAt,
    lockfiles: lockfiles.length,
    packages: lockfiles.reduce((sum, { packages }) => sum + packages.length, 0),
    outcomes: nonZero(outcomes),
    ...(files.length === 0 ? {} : { unread: unread.length, unreadFiles: files }),
    ...(problems === 0 ? {} : { problems }),
    ...(files.length === 0 && outcomes.failed === 0 && lockfiles.every(isReadWhole)
      ? {}
      : { incomplete: true }),
  };
}

/** The fields that a verdict adds. `deliveries`: the number of alerts that follow. */
export function judgedRecord(verdict: Verdict, deliveries: number): ScanRecordUpdate {
  const { scan, target, requestedAt, superseded, complete, gaps, counts, changes } = verdict;
  return {
    scan,
    target: target.id,
    state: superseded ? 'superseded' : 'concluded',
    requestedAt,
    ...(gaps.length === 0 ? {} : { gaps: gaps.length }),
    ...(complete ? {} : { incomplete: true }),
    findings: nonZero(counts.severities),
    changes: nonZero(countTransitions(changes)),
    ...(deliveries === 0 ? {} : { deliveries }),
  };
}

/** The record of a scan that repeated the result of the last one. */
export function unchangedRecord(
  { scan, target, requestedAt }: ScanHeader,
  { lockfiles, packages, outcomes, severities }: ScanCounts,
): ScanRecordUpdate {
  return {
    scan,
    target: target.id,
    state: 'concluded',
    requestedAt,
    lockfiles,
    packages,
    outcomes: nonZero(outcomes),
    findings: nonZero(severities),
    changes: {},
    unchanged: true,
  };
}

/** The record of a scan that failed permanently. */
export function failedRecord({ scan, target, requestedAt }: ScanHeader, reason: string): ScanRecordUpdate {
  return {
    scan,
    target: target.id,
    state: 'failed',
    requestedAt,
    reason: reason.slice(0, MAX_REASON_LENGTH),
  };
}
