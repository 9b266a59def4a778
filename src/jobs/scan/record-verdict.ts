import { isDeepStrictEqual } from 'node:util';
import type { FirstScan, Routing } from '../../model/alert/routing.ts';
import { type ExploitData, NO_EXPLOIT_DATA } from '../../model/exploits/exploit-data.ts';
import { withAge } from '../../model/scan/age.ts';
import type { KnownPackages, TargetState } from '../../model/scan/change.ts';
import type { Finding } from '../../model/scan/finding.ts';
import { type Gap, isComplete } from '../../model/scan/gap.ts';
import type { Inventory } from '../../model/scan/inventory.ts';
import { isAlert } from '../../model/scan/is-alert.ts';
import type { ScanInput } from '../../model/scan/scan-basis.ts';
import { countedSeverity } from '../../model/scan/severity.ts';
import type { Suppression } from '../../model/scan/suppression.ts';
import type { Target } from '../../model/scan/target.ts';
import type { Verdict } from '../../model/scan/verdict.ts';
import { mapInSlices } from '../../model/yielding.ts';
import { type Comparison, compareFindings } from '../../policy/changes.ts';
import { dueAfter } from '../../policy/due.ts';
import { noteLimitOf } from '../../policy/judge.ts';
import { withExploits } from '../../policy/priority/exploits.ts';
import { prioritised } from '../../policy/priority/prioritised.ts';
import { firstScanPart, resolvedSummaries } from '../../policy/routing/first-scan.ts';
import { forFixableRoutes, takenBy } from '../../policy/routing/fixable-routes.ts';
import { type RoutedChanges, routeChanges } from '../../policy/routing/route-changes.ts';
import { judgedTimes, type ScanScope, withoutFuture } from '../../policy/scan-order.ts';
import type { StillOpen } from '../../policy/still-open.ts';
import { createSuppressor, type Suppressor } from '../../policy/suppressions/suppressor.ts';
import type { JobRun } from '../job.ts';
import type { Ports } from '../ports.ts';
import { deliveriesOf } from './deliveries.ts';
import { fixedAfter } from './fixed-versions.ts';
import { type KnownAdvice, NO_ADVICE } from './known-advice.ts';
import { judgedRecord } from './record.ts';
import { openFindings } from './summary.ts';
import { historyAfter, keptLockfiles, readLockfiles, targetChange } from './target-change.ts';

/** The findings of a scan before they are compared with the target's state. */
interface JudgedScan extends ScanScope {
  readonly scan: string;
  readonly target: Target;
  readonly findings: readonly Finding[];
  readonly stillOpen: StillOpen;
  readonly gaps: readonly Gap[];
  readonly counts: (findings: readonly Finding[]) => Verdict['counts'];
  /** How the findings of a target's first scan are reported. */
  readonly firstScan: FirstScan;
  /** Suppressions for all targets, where they were read before. */
  readonly suppressions?: readonly Suppression[];
  /** What is known about exploitation. Default: nothing. */
  readonly exploits?: ExploitData;
  /** The input of the scan, when its result may be reused. */
  readonly input?: ScanInput | undefined;
  /** The lockfiles that it read, and those that it could not read. Absent for a target without lockfiles. */
  readonly inventory?: Pick<Inventory, 'lockfiles' | 'unread'> | undefined;
  /**
   * The state whose lockfiles were judged again because facts changed; its times and lockfiles stay. The changes are those since
   * this state: when a scan has replaced it, the verdict cannot be saved and the job runs again.
   */
  readonly refreshed?: TargetState;
  /** The state with which it is compared, where it was read before; `undefined` for a new target. Default: the state is read. */
  readonly previous?: TargetState | undefined;
  /** When it is judged, in ms since 1970: decides whether suppressions have expired. */
  readonly judgedAt: number;
  /** What is known of fixes; it is part of the verdict and of alerts, and not of the state. */
  readonly advice?: KnownAdvice;
  /** The packages that the insights service knows, where it was asked. */
  readonly known?: (before: KnownPackages | undefined) => Promise<KnownPackages>;
}

/**
 * Compares the findings of a scan with the target's state and routes the changes. The runtime saves the new state atomically
 * with the verdict.
 */
export async function recordVerdict(
  judged: JudgedScan,
  { targets, routing, policy }: Pick<Ports, 'targets' | 'routing' | 'policy'>,
): Promise<JobRun<Verdict>> {
  const { scan, target, requestedAt, partial, gaps, exploits = NO_EXPLOIT_DATA } = judged;
  const rules = routing.routing();
  const { inventory, refreshed } = judged;
  const stored = refreshed ?? ('previous' in judged ? judged.previous : await targets.read(target.id));
  const previous = withoutFuture(stored, judged.judgedAt);
  const noteLimit = noteLimitOf(policy.policy());
  const first = firstScanPart(previous, judged.firstScan, judged);
  const { announce } = first;
  const suppressor = await createSuppressor(
    [...(judged.suppressions ?? (await policy.suppressions())), ...suppressionsOf(previous, inventory)],
    target,
    { now: judged.judgedAt, targetLimit: policy.policy().targetSuppressions },
  );
  const found = await mapInSlices(judged.findings, (finding) => withExploits(finding, exploits));
  const { advice = NO_ADVICE } = judged;
  const changed = await forFixableRoutes(
    await compareFindings(previous, found, { ...judged, noteLimit, announce, suppressor }),
    rules,
    { ...advice, judgedAt: judged.judgedAt },
  );
  // The only target of a run has no past.
  const addAge =
    policy.hasOneTarget === true && previous === undefined ? undefined : aged(changed, judged, policy);
  const rated = await prioritised(changed, exploits, (finding) => {
    const advised = advice.with(finding);
    return addAge?.(advised) ?? advised;
  });
  const complete = isComplete(gaps);
  const routed = await routeChanges(rules, target, rated.changes);
  const compared = takenFirst(rated, rules, routed);
  const result: Verdict = {
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
    counts: judged.counts(compared.findings),
    superseded: compared.superseded,
    ...unusedIn(suppressor, policy),
    routed: Object.fromEntries(routed.map(({ rule, changes }) => [rule.name, changes])),
  };
  if (compared.superseded) return { result, next: [], record: judgedRecord(result, 0) };
  const replaces = previous?.revision ?? 0;
  const state: TargetState = {
    revision: replaces + 1,
    ...(refreshed === undefined ? { scan, ...judgedTimes(previous, judged) } : unmoved(refreshed)),
    ...(inventory === undefined ? {} : { lockfiles: keptLockfiles(previous, inventory, judged) }),
    history: historyAfter(
      previous,
      { scan, requestedAt },
      { changes: result.changes, gaps: gaps.length },
      refreshed === undefined ? {} : { refreshed: true },
    ),
    findings: compared.tracked,
    ...(await fixedAfter(previous, result.changes, inventory, requestedAt)),
    ...(first.state === undefined ? {} : { firstScan: first.state }),
    incomplete: !complete,
    ...dueAfter(compared.tracked, noteLimit),
    ...(previous?.sources === undefined ? {} : { sources: previous.sources }),
    ...(previous?.image === undefined ? {} : { image: previous.image }),
    ...(judged.known === undefined ? {} : { known: await judged.known(previous?.known) }),
    ...(judged.input === undefined || gaps.some(({ kind }) => kind !== 'signal')
      ? {}
      : { basis: { ...judged.input, counts: result.counts } }),
  };
  if (refreshed !== undefined && (await isUnmoved(refreshed, state))) return { result, next: [] };
  const resolved = await resolvedSummaries(rules, target, previous?.findings ?? [], compared);
  const { next, filed, digests } = deliveriesOf(result, routed, resolved);
  return {
    result,
    next: [...next, ...advice.next],
    deliveries: filed,
    record: judgedRecord(result, filed.length),
    state: targetChange(
      result,
      { replaces, state, digests },
      inventory && readLockfiles(previous, inventory, judged),
    ),
  };
}

/** With `take: first`, what a route took is sent to no other route later. */
function takenFirst(compared: Comparison, { take }: Routing, routed: readonly RoutedChanges[]): Comparison {
  if (take === 'all') return compared;
  const changes = routed.flatMap(({ changes: own }) => own.flatMap((index) => compared.changes[index] ?? []));
  return { ...compared, tracked: takenBy(compared.tracked, changes) };
}

/** Adds the age of a finding, and when it has to be resolved. */
function aged(
  { tracked }: Comparison,
  { judgedAt }: JudgedScan,
  policy: Ports['policy'],
): (finding: Finding) => Finding {
  const { dueIn } = policy.policy();
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

/** Those of the target itself. A lockfile that the scan did not read keeps its own. */
function suppressionsOf(
  previous: TargetState | undefined,
  inventory: JudgedScan['inventory'],
): readonly Suppression[] {
  const byPath = new Map<string, readonly Suppression[] | undefined>();
  for (const { path, suppressions } of previous?.lockfiles ?? []) byPath.set(path, suppressions);
  for (const { path, suppressions } of inventory?.lockfiles ?? []) byPath.set(path, suppressions);
  return [...byPath.values()].flatMap((own) => own ?? []);
}

/** Suppressions that suppress nothing, where that is a fact about this target and not about the fleet. */
function unusedIn(
  suppressor: Suppressor,
  { hasOneTarget = false }: Pick<Ports['policy'], 'hasOneTarget'>,
): Pick<Verdict, 'unusedSuppressions'> {
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
  known,
}: TargetState): Omit<TargetState, 'revision' | 'findings'> {
  return {
    scan,
    requestedAt,
    ...(parts === undefined ? {} : { parts }),
    ...(lockfiles === undefined ? {} : { lockfiles }),
    ...(known === undefined ? {} : { known }),
  };
}
