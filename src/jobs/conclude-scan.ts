import type { KnownPackages, TargetState } from '../model/change.ts';
import type { Finding } from '../model/finding.ts';
import { type Gap, isComplete, type Verdict } from '../model/scan.ts';
import type { Target } from '../model/target.ts';
import { compareFindings } from '../policy/changes.ts';
import { noteLimitOf } from '../policy/judge.ts';
import { judgedTimes, type ScanScope } from '../policy/scan-order.ts';
import type { Remains } from '../policy/what-remains.ts';
import { DELIVER_NOTIFICATION } from './deliver-notification.payload.ts';
import { type FollowUp, followUp } from './follow-up.ts';
import type { DigestAddition, JobRun } from './job.ts';
import type { Ports } from './ports.ts';
import { type RoutedChanges, routeChanges } from './route-changes.ts';
import { openFindings } from './scan-summary.ts';

/** Everything that a scan found, before it is compared with what is remembered. */
export interface JudgedScan extends ScanScope {
  readonly scan: string;
  readonly target: Target;
  readonly findings: readonly Finding[];
  readonly remains: Remains;
  readonly gaps: readonly Gap[];
  readonly counts: (findings: readonly Finding[]) => Verdict['counts'];
  /** What to remember of what the look-up service knows, where one was asked. */
  readonly known?: (before: KnownPackages | undefined) => KnownPackages;
}

/**
 * Compares a scan's findings with the target's state and hands the changes to the routes they go by: at once, or with
 * the next periodic digest. The new state is saved together with the verdict, or not at all.
 */
export async function concludeScan(
  judged: JudgedScan,
  { targets, routing, policy }: Pick<Ports, 'targets' | 'routing' | 'policy'>,
): Promise<JobRun<Verdict>> {
  const { scan, target, requestedAt, partial, gaps } = judged;
  const previous = await targets.read(target.id);
  const noteLimit = noteLimitOf(policy.policy());
  const compared = compareFindings(previous, judged.findings, { ...judged, noteLimit });
  const complete = isComplete(gaps);
  const routed = routeChanges(routing.routing(), target, compared.changes);
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
    routed: Object.fromEntries(routed.map(({ rule, changes }) => [rule.name, changes])),
  };
  if (compared.superseded) return { result, next: [] };
  const replaces = previous?.revision ?? 0;
  const state: TargetState = {
    revision: replaces + 1,
    scan,
    ...judgedTimes(previous, judged),
    findings: compared.tracked,
    incomplete: !complete,
    ...(judged.known === undefined ? {} : { known: judged.known(previous?.known) }),
  };
  return {
    result,
    next: routed.flatMap((one) => deliveries(judged, one)),
    state: { target: target.id, replaces, state, digests: digestsOf(result, routed) },
  };
}

/** What is sent at once: a digest, or every change by itself. */
function deliveries(
  { scan, target, requestedAt }: JudgedScan,
  { rule, changes }: RoutedChanges,
): readonly FollowUp[] {
  const digest = { scan, target: target.id, route: rule.name, requestedAt };
  if (rule.mode === 'digest') return [followUp(DELIVER_NOTIFICATION, digest)];
  if (rule.mode !== 'change') return [];
  return changes.map((change) => followUp(DELIVER_NOTIFICATION, { ...digest, change }));
}

/** What waits for a periodic digest. */
function digestsOf(verdict: Verdict, routed: readonly RoutedChanges[]): readonly DigestAddition[] {
  const { scan, target, requestedAt: date, open, gaps } = verdict;
  const periodic = routed.filter(({ rule }) => rule.mode === 'periodic');
  return periodic.map(({ rule, changes }) => ({
    route: rule.name,
    entry: {
      scan,
      target,
      date,
      changes: changes.flatMap((index) => verdict.changes[index] ?? []),
      open,
      gaps: gaps.length,
    },
  }));
}
