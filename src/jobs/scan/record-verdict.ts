import type { FirstScan } from '../../model/alert/routing.ts';
import type { KnownPackages, TargetState } from '../../model/scan/change.ts';
import type { Finding } from '../../model/scan/finding.ts';
import type { ScanInput } from '../../model/scan/scan-basis.ts';
import type { Target } from '../../model/scan/target.ts';
import { type Gap, isComplete, type Verdict } from '../../model/scan/verdict.ts';
import { compareFindings } from '../../policy/changes.ts';
import { firstScanPart, resolvedSummaries } from '../../policy/first-scan.ts';
import { noteLimitOf } from '../../policy/judge.ts';
import { routeChanges } from '../../policy/route-changes.ts';
import { judgedTimes, type ScanScope } from '../../policy/scan-order.ts';
import type { StillOpen } from '../../policy/still-open.ts';
import type { JobRun } from '../job.ts';
import type { Ports } from '../ports.ts';
import { deliveriesOf } from './deliveries.ts';
import { judgedRecord } from './record.ts';
import { openFindings } from './summary.ts';

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
  /** The input of the scan, when its result may be reused. */
  readonly input?: ScanInput | undefined;
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
  const { scan, target, requestedAt, partial, gaps } = judged;
  const rules = routing.routing();
  const previous = await targets.read(target.id);
  const noteLimit = noteLimitOf(policy.policy());
  const first = firstScanPart(previous, judged.firstScan, judged);
  const { announce } = first;
  const compared = await compareFindings(previous, judged.findings, { ...judged, noteLimit, announce });
  const complete = isComplete(gaps);
  const routed = await routeChanges(rules, target, compared.changes);
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
  if (compared.superseded) return { result, next: [], record: judgedRecord(result, 0) };
  const replaces = previous?.revision ?? 0;
  const state: TargetState = {
    revision: replaces + 1,
    scan,
    ...judgedTimes(previous, judged),
    findings: compared.tracked,
    ...(first.state === undefined ? {} : { firstScan: first.state }),
    incomplete: !complete,
    ...(judged.known === undefined ? {} : { known: await judged.known(previous?.known) }),
    ...(judged.input === undefined || gaps.length > 0
      ? {}
      : { basis: { ...judged.input, counts: result.counts } }),
  };
  const resolved = await resolvedSummaries(rules, target, previous?.findings ?? [], compared);
  const { next, filed, digests } = deliveriesOf(result, routed, resolved);
  return {
    result,
    next,
    deliveries: filed,
    record: judgedRecord(result, filed.length),
    state: { target: target.id, replaces, state, digests },
  };
}
