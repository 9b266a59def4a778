import type { PastScan, TargetLockfile } from '../model/fleet/target-summary.ts';
import type { Change, TargetState } from '../model/scan/change.ts';
import type { Inventory, ResolvedLockfile } from '../model/scan/inventory.ts';
import { compareText } from '../policy/finding-order.ts';
import { laterScans, type ScanScope } from '../policy/scan-order.ts';
import { countTransitions } from '../policy/worst-changes.ts';

/** Scans that the state of a target lists. */
const MAX_HISTORY = 50;

type ReadLockfiles = Pick<Inventory, 'lockfiles' | 'unread'>;

/** The lockfiles of a target before a scan, and those that the scan read. */
export interface ReplacedLockfiles {
  readonly before: readonly TargetLockfile[];
  readonly read: readonly ResolvedLockfile[];
}

/** The lockfiles of a target that a scan did not read again: those that it did not name, and those that it could not read. */
export function keptLockfiles(
  state: TargetState | undefined,
  { unread }: ReadLockfiles,
  scan: ScanScope,
): readonly TargetLockfile[] {
  const { isLater } = laterScans(state, scan);
  const named = new Set(scan.paths);
  const errors = new Map(unread.map(({ path, error }) => [path, error]));
  const kept: TargetLockfile[] = [];
  for (const { unread: _, ...before } of state?.lockfiles ?? []) {
    const error = errors.get(before.path) ?? folderError(errors, before.path);
    errors.delete(before.path);
    if (isLater(before.path) || (scan.partial && !named.has(before.path))) kept.push(before);
    else if (error !== undefined) kept.push({ ...before, unread: error });
  }
  for (const [path, error] of errors) if (!path.endsWith('/')) kept.push({ path, unread: error });
  return kept.sort((left, right) => compareText(left.path, right.path));
}

/** The lockfiles that a scan read and that no scan requested later has judged. */
export function readLockfiles(
  state: TargetState | undefined,
  { lockfiles }: ReadLockfiles,
  scan: ScanScope,
): ReplacedLockfiles {
  const { isLater } = laterScans(state, scan);
  return { before: state?.lockfiles ?? [], read: lockfiles.filter(({ path }) => !isLater(path)) };
}

/** The last scans of a target, with this one. */
export function historyAfter(
  state: TargetState | undefined,
  { scan, requestedAt }: Pick<PastScan, 'scan' | 'requestedAt'>,
  { changes, gaps }: { readonly changes: readonly Change[]; readonly gaps: number },
  marks: Partial<Pick<PastScan, 'unchanged' | 'refreshed'>> = {},
): readonly PastScan[] {
  const counts = nonZero(countTransitions(changes.filter(isNew)));
  const entry: PastScan = {
    scan,
    requestedAt,
    ...(Object.keys(counts).length === 0 ? {} : { changes: counts }),
    ...(gaps === 0 ? {} : { gaps }),
    ...marks,
  };
  return [entry, ...(state?.history ?? [])].slice(0, MAX_HISTORY);
}

/** Whether a change is one of this scan, and not one that routes get late. */
export function isNew({ isLate }: Change): boolean {
  return isLate !== true;
}

/** The error of an unread folder that contains the path. */
function folderError(
  errors: ReadonlyMap<string, NonNullable<TargetLockfile['unread']>>,
  path: string,
): TargetLockfile['unread'] {
  for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1)) {
    const error = errors.get(path.slice(0, end + 1));
    if (error !== undefined) return error;
  }
  return errors.get('./');
}

/** Counts that are not zero. */
export function nonZero<Name extends string>(
  counts: Readonly<Record<Name, number>>,
): Readonly<Partial<Record<Name, number>>> {
  const entries = Object.entries<number>(counts).filter(([, count]) => count > 0);
  return Object.fromEntries(entries) as Partial<Record<Name, number>>;
}
