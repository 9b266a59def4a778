import { byPath } from '../../model/fleet/lockfile-order.ts';
import type { LoggedChanges } from '../../model/fleet/logged-changes.ts';
import type { PastScan } from '../../model/fleet/past-scan.ts';
import type { TargetLockfile } from '../../model/fleet/target-lockfile.ts';
import type { TargetSummary } from '../../model/fleet/target-summary.ts';
import type { DigestAddition, TargetChange } from '../../model/queue/outcome.ts';
import type { Change, TargetState } from '../../model/scan/change.ts';
import type { Inventory } from '../../model/scan/inventory.ts';
import { isAlert } from '../../model/scan/is-alert.ts';
import type { Severity } from '../../model/scan/severity.ts';
import type { Verdict } from '../../model/scan/verdict.ts';
import { laterScans, type ScanScope } from '../../policy/scan-order.ts';
import { countTransitions, worstChanges } from '../../policy/worst-changes.ts';

/** Scans that the state of a target lists. */
const MAX_HISTORY = 50;
/** Changes of one scan in the log of the fleet. */
const MAX_LOGGED = 1_000;

type ReadLockfiles = Pick<Inventory, 'lockfiles' | 'unread'>;

/** What is saved with a verdict: the target's new state, its entry in the list of the fleet, and its changes. */
export function targetChange(
  verdict: Verdict,
  { replaces, state, digests }: Pick<TargetChange, 'replaces' | 'state' | 'digests'>,
  lockfiles: TargetChange['lockfiles'],
): TargetChange {
  const { target, counts, open, complete } = verdict;
  const log = loggedChanges(verdict);
  return {
    target: target.id,
    replaces,
    state,
    ...(digests === undefined ? {} : { digests: digests satisfies readonly DigestAddition[] }),
    ...(lockfiles === undefined ? {} : { lockfiles }),
    summary: {
      labels: target.labels,
      packages: counts.packages,
      open: present(open),
      openByRule: openByRule(state.findings),
      ...suppressedIn(state.findings),
      requestedAt: state.requestedAt,
      ...(complete ? {} : { incomplete: true }),
    },
    ...(log === undefined ? {} : { log }),
  };
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
  return kept.sort(byPath);
}

/** The lockfiles that a scan read and that no scan requested later has judged. */
export function readLockfiles(
  state: TargetState | undefined,
  { lockfiles }: ReadLockfiles,
  scan: ScanScope,
): TargetChange['lockfiles'] {
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
  const counts = present(countTransitions(changes.filter(isNew)));
  const entry: PastScan = {
    scan,
    requestedAt,
    ...(Object.keys(counts).length === 0 ? {} : { changes: counts }),
    ...(gaps === 0 ? {} : { gaps }),
    ...marks,
  };
  return [entry, ...(state?.history ?? [])].slice(0, MAX_HISTORY);
}

function loggedChanges({ scan, target, requestedAt, changes: all }: Verdict): LoggedChanges | undefined {
  const changes = all.filter(isNew);
  if (changes.length === 0) return undefined;
  const listed = worstChanges(changes, MAX_LOGGED).changes;
  const omitted = changes.length - listed.length;
  return {
    scan,
    target: target.id,
    labels: target.labels,
    requestedAt,
    changes: listed.map(({ transition, finding }) => ({
      transition,
      fingerprint: finding.fingerprint,
      rule: finding.rule,
      level: finding.level,
      severity: finding.severity,
      purl: finding.package.purl,
      title: finding.title,
      ...(finding.advisory === undefined ? {} : { advisory: finding.advisory.id }),
    })),
    ...(omitted === 0 ? {} : { omitted }),
  };
}

/** Whether a change is one of this scan, and not one that routes get late. */
function isNew({ isLate }: Change): boolean {
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

/** Number of open findings that are suppressed. */
function suppressedIn(tracked: TargetState['findings']): Pick<TargetSummary, 'suppressed'> {
  const suppressed = tracked.filter(
    ({ status, finding }) => status === 'open' && finding.suppressed !== undefined,
  ).length;
  return suppressed === 0 ? {} : { suppressed };
}

/** Open findings by rule and severity, without notes and suppressed ones. */
function openByRule(tracked: TargetState['findings']): NonNullable<TargetSummary['openByRule']> {
  const rules: Record<string, Partial<Record<Severity, number>>> = {};
  for (const { finding, status } of tracked) {
    if (status !== 'open' || !isAlert(finding)) continue;
    const counts = rules[finding.rule] ?? {};
    rules[finding.rule] = counts;
    counts[finding.severity] = (counts[finding.severity] ?? 0) + 1;
  }
  return rules;
}

/** Counts that are not zero. */
function present(counts: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
}
