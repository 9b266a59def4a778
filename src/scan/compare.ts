import { isDeepStrictEqual } from 'node:util';
import type { FirstScan, RouteRule, Routing } from '../model/alert/routing.ts';
import { defined } from '../model/defined.ts';
import { type ExploitData, NO_EXPLOIT_DATA } from '../model/exploits/exploit-data.ts';
import type { TargetLockfile } from '../model/fleet/target-summary.ts';
import { withAge } from '../model/scan/age.ts';
import type { Target, TargetState } from '../model/scan/change.ts';
import type { Finding } from '../model/scan/finding.ts';
import { type Gap, isComplete } from '../model/scan/gap.ts';
import type { Inventory } from '../model/scan/inventory.ts';
import { isAlert } from '../model/scan/is-alert.ts';
import type { Policy } from '../model/scan/policy.ts';
import { countedSeverity } from '../model/scan/severity.ts';
import type { Suppression } from '../model/scan/suppression.ts';
import type { Verdict } from '../model/scan/verdict.ts';
import { mapInSlices } from '../model/yielding.ts';
import { type Comparison, compareFindings } from '../policy/changes.ts';
import { dueAfter } from '../policy/due.ts';
import { noteLimitOf } from '../policy/judge.ts';
import { withExploits } from '../policy/priority/exploits.ts';
import { prioritised } from '../policy/priority/priority.ts';
import { firstScanPart, resolvedSummaries } from '../policy/routing/first-scan.ts';
import { forFixableRoutes, takenBy } from '../policy/routing/fixable-routes.ts';
import { type RoutedChanges, routeChanges } from '../policy/routing/route-changes.ts';
import { judgedTimes, nextRevision, type ScanScope, withoutFuture } from '../policy/scan-order.ts';
import { createSuppressor, type Suppressor } from '../policy/suppressions/suppressor.ts';
import { countScan, openFindings } from './counts.ts';
import { fixedAfter } from './fixed-versions.ts';
import type { Judgement } from './judge.ts';
import { historyAfter, keptLockfiles, type ReplacedLockfiles, readLockfiles } from './target-lockfiles.ts';

/** The findings of a target, and everything by which they are compared with the state of the target. */
export interface JudgedScan extends ScanScope, Judgement {
  readonly scan: string;
  readonly target: Target;
  /** When it is judged, in ms since 1970: decides whether suppressions have expired. */
  readonly judgedAt: number;
  /** The state of the target before; `undefined` for a new target. */
  readonly previous: TargetState | undefined;
  /**
   * True when the stored lockfiles of the target were judged again because facts changed: its times and lockfiles stay. When a scan has
   * replaced the state, the verdict cannot be saved and the job runs again.
   */
  readonly refreshed?: boolean;
  /** The lockfiles that were judged, and those that could not be read. Absent for a target without lockfiles. */
  readonly inventory?: Inventory;
  /** Number of its packages that are resolved, and of which nothing can be found. They are not in the inventory. Default: 0. */
  readonly others?: number;
  /** How the findings of a target's first scan are reported. */
  readonly firstScan: FirstScan;
  /** The data about exploitation. Default: none. */
  readonly exploits?: ExploitData;
  /** The known fixes; they are part of the verdict and of alerts, and not of the state. Default: none. */
  readonly advice?: FindingAdvice;
}

/** The known fixes of findings. */
export interface FindingAdvice {
  /** The finding with its advice, or with the note that it is being looked up. */
  with(finding: Finding): Finding;
  /** Whether its fix is not known yet and is being looked up. */
  isPending(finding: Finding): boolean;
}

const NO_ADVICE: FindingAdvice = { with: (finding) => finding, isPending: () => false };

/** The settings by which scans are compared. */
export interface ComparisonRules {
  readonly routing: Routing;
  readonly policy: Policy;
  /** The suppressions for all targets, in the order in which they apply. */
  readonly suppressions: readonly Suppression[];
  /** True when the scanned target is the only one: a suppression that suppresses nothing is then unused. */
  readonly hasOneTarget?: boolean;
}

/** The changes by a scan. */
export interface ComparedScan {
  readonly verdict: Verdict;
  readonly routed: readonly RoutedChanges[];
  /** Routes for which all findings of the first scan's summary are resolved. */
  readonly resolved: readonly RouteRule[];
  /** The revision of the state before; 0 for a new target. */
  readonly replaces: number;
  /** The state after the scan; `undefined` where it changes nothing: a later scan was judged before, or stored lockfiles have no news. */
  readonly state: TargetState | undefined;
  /** The lockfiles that were read, beside those of the state before; `undefined` where none were to be read. */
  readonly lockfiles: ReplacedLockfiles | undefined;
}

/** The inventory without lockfiles, for the counts of a verdict on something else. */
const NO_LOCKFILES: Inventory = { lockfiles: [], unread: [] };

function exploitGap({ fault }: ExploitData): readonly Gap[] {
  return fault === undefined ? [] : [{ kind: 'advisory', subject: 'KEV and EPSS', reason: fault }];
}

/** Compares the findings of a scan with the state of its target, and routes the changes. */
export async function compareScan(judged: JudgedScan, rules: ComparisonRules): Promise<ComparedScan> {
  const { scan, target, requestedAt, judgedAt, partial, exploits = NO_EXPLOIT_DATA } = judged;
  const gaps = [...judged.gaps, ...exploitGap(exploits)];
  const { routing, policy, hasOneTarget = false } = rules;
  const previous = withoutFuture(judged.previous, judgedAt);
  const replaces = previous?.revision ?? 0;
  const refreshed = judged.refreshed === true ? judged.previous : undefined;
  // Those that were read now: stored lockfiles stay in the state as they are.
  const read = refreshed === undefined ? judged.inventory : undefined;
  const noteLimit = noteLimitOf(policy);
  const first = firstScanPart(previous, judged.firstScan, judged);
  const stated = statedBy(previous, read);
  const suppressor = await createSuppressor(
    [...rules.suppressions, ...[...stated.values()].flatMap(({ suppressions = [] }) => suppressions)],
    target,
    { now: judgedAt, targetLimit: policy.targetSuppressions },
  );
  const owned = await ownersFor(policy, target, stated);
  const found = await mapInSlices(judged.findings, (finding) => withExploits(owned(finding), exploits));
  const { advice = NO_ADVICE } = judged;
  const changed = await forFixableRoutes(
    await compareFindings(previous, found, { ...judged, noteLimit, announce: first.announce, suppressor }),
    routing,
    { ...advice, judgedAt },
  );
  // The only target of a run has no past.
  const addAge = hasOneTarget && previous === undefined ? undefined : aged(changed, judgedAt, policy);
  const rated = await prioritised(changed, exploits, (finding) => {
    const advised = advice.with(finding);
    return addAge?.(advised) ?? advised;
  });
  const complete = isComplete(gaps);
  const routed = await routeChanges(routing, target, rated.changes);
  const compared = takenFirst(rated, routing, routed);
  const verdict: Verdict = {
    scan,
    target,
    requestedAt,
    findings: compared.findings,
    changes: compared.changes,
    gaps,
    complete,
    partial,
    open: openFindings(compared.tracked),
    kept: compared.kept,
    counts: countScan(judged.inventory ?? NO_LOCKFILES, compared.findings, judged.others),
    superseded: compared.superseded,
    ...unusedIn(suppressor, hasOneTarget),
    routed: Object.fromEntries(routed.map(({ rule, changes }) => [rule.name, changes])),
  };
  const lockfiles = read === undefined ? undefined : readLockfiles(previous, read, judged);
  if (compared.superseded) return { verdict, routed, resolved: [], replaces, lockfiles, state: undefined };
  const state = await stateAfter({ judged, previous, read, refreshed, verdict, compared, first, noteLimit });
  const hasNews = refreshed === undefined || !(await isUnmoved(refreshed, state));
  return {
    verdict,
    routed,
    resolved: hasNews ? await resolvedSummaries(routing, target, previous?.findings ?? [], compared) : [],
    replaces,
    lockfiles,
    state: hasNews ? state : undefined,
  };
}

interface StateParts {
  readonly judged: JudgedScan;
  readonly previous: TargetState | undefined;
  readonly read: Inventory | undefined;
  /** The state whose lockfiles were judged again. */
  readonly refreshed: TargetState | undefined;
  readonly verdict: Verdict;
  readonly compared: Comparison;
  readonly first: ReturnType<typeof firstScanPart>;
  readonly noteLimit: ReturnType<typeof noteLimitOf>;
}

async function stateAfter(parts: StateParts): Promise<TargetState> {
  const { judged, previous, read, refreshed, verdict, compared, first, noteLimit } = parts;
  const { scan, requestedAt, gaps } = judged;
  return {
    revision: nextRevision(previous?.revision ?? 0),
    ...(refreshed === undefined ? { scan, ...judgedTimes(previous, readPart(judged)) } : unmoved(refreshed)),
    ...(read === undefined ? {} : { lockfiles: keptLockfiles(previous, read, judged) }),
    history: historyAfter(
      previous,
      { scan, requestedAt },
      { changes: verdict.changes, gaps: gaps.length },
      refreshed === undefined ? {} : { refreshed: true },
    ),
    findings: compared.tracked,
    ...(await fixedAfter(previous, verdict.changes, read, requestedAt)),
    ...defined({ firstScan: first.state }),
    incomplete: !verdict.complete,
    ...dueAfter(compared.tracked, noteLimit),
    ...(previous?.sources === undefined ? {} : { sources: previous.sources }),
    ...defined({ release: read?.release ?? previous?.release }),
    ...(previous?.image === undefined ? {} : { image: previous.image }),
    ...(read?.input === undefined || gaps.some(({ kind }) => kind !== 'signal')
      ? {}
      : { basis: { ...read.input, counts: verdict.counts } }),
  };
}

/** The lockfiles that a scan has read: of another one, what a scan says that was requested earlier and is judged later applies. */
function readPart(judged: JudgedScan): ScanScope {
  const unread = new Set(judged.inventory?.unread.map(({ path }) => path));
  if (unread.size === 0) return judged;
  return { ...judged, partial: true, paths: judged.paths.filter((path) => !unread.has(path)) };
}

/** With `take: first`, what a route took is sent to no other route later. */
function takenFirst(compared: Comparison, { take }: Routing, routed: readonly RoutedChanges[]): Comparison {
  if (take === 'all') return compared;
  const changes = routed.flatMap(({ changes: own }) => own.flatMap((index) => compared.changes[index] ?? []));
  return { ...compared, tracked: takenBy(compared.tracked, changes) };
}

/** Adds the age of a finding, and when it has to be resolved. */
function aged({ tracked }: Comparison, judgedAt: number, { dueIn }: Policy): (finding: Finding) => Finding {
  const opened = new Map(tracked.map(({ finding, openedAt }) => [finding.fingerprint, openedAt]));
  return (finding) => {
    const openedAt = opened.get(finding.fingerprint);
    if (openedAt === undefined) return finding;
    return withAge(
      finding,
      openedAt,
      judgedAt,
      isAlert(finding) ? dueIn[countedSeverity(finding)] : undefined,
    );
  };
}

/** The statements of the target's lockfiles about themselves, by path. One that the scan did not read keeps its own. */
export function statedBy(
  previous: TargetState | undefined,
  inventory: Inventory | undefined,
): ReadonlyMap<string, Pick<TargetLockfile, 'suppressions' | 'owners'>> {
  const all = [...(previous?.lockfiles ?? []), ...(inventory?.lockfiles ?? [])];
  return new Map(all.map((one) => [one.path, one]));
}

/** Returns a function that adds its owners to a finding. Loaded on use: it takes a library, and many installations name no owners. */
export async function ownersFor(
  policy: Policy,
  target: Target,
  stated: ReturnType<typeof statedBy>,
): Promise<(finding: Finding) => Finding> {
  const byPath = new Map(
    [...stated].flatMap(([path, { owners = [] }]) => (owners.length === 0 ? [] : [[path, owners] as const])),
  );
  if (byPath.size === 0 && (policy.owners ?? []).length === 0) return (finding) => finding;
  const { findingOwners } = await import('../policy/owners.ts');
  return findingOwners(policy, target, byPath);
}

/** Suppressions that suppress nothing, where that is a fact about this target and not about the fleet. */
function unusedIn(suppressor: Suppressor, hasOneTarget: boolean): Pick<Verdict, 'unusedSuppressions'> {
  const unused = suppressor.unused().filter(({ isOwn }) => isOwn || hasOneTarget);
  return unused.length === 0 ? {} : { unusedSuppressions: unused.map(({ id, reason }) => ({ id, reason })) };
}

/** Whether a judgement from stored lockfiles leaves the findings of a target as they are. */
async function isUnmoved(before: TargetState, after: TargetState): Promise<boolean> {
  if ((before.incomplete === true) !== after.incomplete || before.dueAt !== after.dueAt) return false;
  if (before.findings.length !== after.findings.length) return false;
  const stored = new Map(before.findings.map((one) => [one.finding.fingerprint, one]));
  // In the form in which it is stored: without fields that are undefined.
  const same = await mapInSlices(after.findings, (one) =>
    isDeepStrictEqual(JSON.parse(JSON.stringify(one)), stored.get(one.finding.fingerprint)),
  );
  return same.every((isSame) => isSame);
}

/** The part of a state that a change of facts does not touch. */
function unmoved({
  scan,
  requestedAt,
  parts,
  lockfiles,
}: TargetState): Omit<TargetState, 'revision' | 'findings'> {
  return {
    scan,
    requestedAt,
    ...defined({ parts, lockfiles }),
  };
}
