import type { TargetChange } from '../../model/queue/outcome.ts';
import type { TargetState, TrackedFinding } from '../../model/scan/change.ts';
import type { Finding } from '../../model/scan/finding.ts';
import type { Target } from '../../model/scan/target.ts';
import type { Verdict } from '../../model/scan/verdict.ts';
import { compareFindings } from '../../policy/changes.ts';
import { dueAfter } from '../../policy/due.ts';
import { noteLimitOf } from '../../policy/judge.ts';
import { routeChanges } from '../../policy/routing/route-changes.ts';
import { isUnwatchedBy, locationOf } from '../../policy/rules/unwatched.ts';
import { createSuppressor } from '../../policy/suppressions/suppressor.ts';
import type { JobRun } from '../job.ts';
import type { Ports } from '../ports.ts';
import { deliveriesOf } from './deliveries.ts';
import { judgedRecord } from './record.ts';
import { countScan, openFindings } from './summary.ts';
import { historyAfter, targetChange } from './target-change.ts';

interface JudgedSource {
  readonly scan: string;
  readonly target: Target;
  readonly requestedAt: string;
  /** In ms since 1970. */
  readonly judgedAt: number;
  readonly schedule: string;
  /** Absent when the source can be read, or is no longer named by the schedule. */
  readonly finding: Finding | undefined;
}

/**
 * Opens or resolves the finding of a schedule about the source of a target, and routes that change. Everything else that is
 * known of the target stays as it is: a source says nothing about the lockfiles that were read from it earlier.
 */
export async function recordSourceVerdict(
  { scan, target, requestedAt, judgedAt, schedule, finding }: JudgedSource,
  { targets, routing, policy }: Pick<Ports, 'targets' | 'routing' | 'policy'>,
): Promise<JobRun<Verdict>> {
  const rules = routing.routing();
  const previous = await targets.read(target.id);
  const noteLimit = noteLimitOf(policy.policy());
  const { before, others } = splitState(previous, schedule);
  const compared = await compareFindings(before, finding === undefined ? [] : [finding], {
    scan,
    requestedAt,
    partial: true,
    paths: [locationOf(schedule)],
    stillOpen: () => undefined,
    noteLimit,
    suppressor: await createSuppressor(await policy.suppressions(), target, {
      now: judgedAt,
      targetLimit: policy.policy().targetSuppressions,
    }),
    judgedAt,
  });
  const tracked = [...others, ...compared.tracked];
  const routed = await routeChanges(rules, target, compared.changes);
  const result: Verdict = {
    scan,
    target,
    requestedAt,
    findings: compared.findings,
    changes: compared.changes,
    gaps: [],
    complete: previous?.incomplete !== true,
    partial: true,
    open: openFindings(tracked),
    kept: compared.kept,
    counts: countScan({ lockfiles: [], unread: [] }, compared.findings),
    superseded: compared.superseded,
    routed: Object.fromEntries(routed.map(({ rule, changes }) => [rule.name, changes])),
  };
  const hasNothing = previous === undefined && finding === undefined;
  if (compared.superseded || hasNothing) return { result, next: [] };
  const replaces = previous?.revision ?? 0;
  const { dueAt: _due, ...kept } = previous ?? { scan, requestedAt, parts: { lockfiles: {} } };
  const state: TargetState = {
    // Of a target whose lockfiles were never scanned, no scan is known.
    ...kept,
    revision: replaces + 1,
    findings: tracked,
    ...dueAfter(tracked, noteLimit),
    history: historyAfter(previous, { scan, requestedAt }, { changes: result.changes, gaps: 0 }),
    sources: { ...previous?.sources, [schedule]: requestedAt },
  };
  const { next, filed, digests } = deliveriesOf(result, routed, []);
  return {
    result,
    next,
    deliveries: filed,
    record: judgedRecord(result, filed.length),
    state: withPackages(targetChange(result, { replaces, state, digests }, undefined), previous),
  };
}

/**
 * The findings of the schedule, with the times of verdicts on sources alone, because scans of lockfiles do not supersede these; and
 * all other findings.
 */
function splitState(state: TargetState | undefined, schedule: string) {
  if (state === undefined) return { before: undefined, others: [] };
  const times = Object.entries(state.sources ?? {}).map(([name, time]) => [locationOf(name), time]);
  const isOwn = ({ finding }: TrackedFinding) => isUnwatchedBy(schedule, finding);
  return {
    before: {
      ...state,
      parts: { lockfiles: Object.fromEntries(times) },
      findings: state.findings.filter(isOwn),
    },
    others: state.findings.filter((one) => !isOwn(one)),
  };
}

/** The entry of the target in the list of the fleet keeps its number of packages. Without that number the entry does not change. */
function withPackages(change: TargetChange, previous: TargetState | undefined): TargetChange {
  const { summary, ...others } = change;
  const packages = previous === undefined ? 0 : previous.basis?.counts.packages;
  if (summary === undefined || packages === undefined) return others;
  return { ...others, summary: { ...summary, packages } };
}
