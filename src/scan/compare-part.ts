import type { Target, TargetState, TrackedFinding } from '../model/scan/change.ts';
import type { Finding } from '../model/scan/finding.ts';
import type { Gap } from '../model/scan/gap.ts';
import type { Verdict } from '../model/scan/verdict.ts';
import { compareFindings } from '../policy/changes.ts';
import { dueAfter } from '../policy/due.ts';
import { noteLimitOf } from '../policy/judge.ts';
import { routeChanges } from '../policy/routing/route-changes.ts';
import { nextRevision } from '../policy/scan-order.ts';
import { createSuppressor } from '../policy/suppressions/suppressor.ts';
import type { ComparedScan, ComparisonRules } from './compare.ts';
import { countScan, openFindings } from './counts.ts';
import { historyAfter } from './target-lockfiles.ts';

/** A part of a target that is judged apart from its scans: the source that a schedule reads, a container image, exceptions that are looked up. */
interface TargetPart {
  /** The place of its findings. */
  readonly location: string;
  /** Whether a finding is about the part. */
  has(finding: Finding): boolean;
  /** `requestedAt` of the last verdict on it: its verdicts have their own times. */
  readonly judgedAt: string | undefined;
  /** The new state of the part; `undefined` when nothing was found out. */
  readonly state: Partial<TargetState> | undefined;
}

interface JudgedPart {
  readonly scan: string;
  readonly target: Target;
  readonly requestedAt: string;
  /** In ms since 1970. */
  readonly judgedAt: number;
  readonly part: TargetPart;
  /** The state with which it is compared; `undefined` for a new target. */
  readonly previous: TargetState | undefined;
  /** The findings about this part. */
  readonly findings: readonly Finding[];
  /** Whether a finding that was not found again stays open. By default all do, if there are gaps. */
  isOpen?(finding: Finding): boolean;
  /** Why nothing was found out: findings then stay as they are. */
  readonly gaps: readonly Gap[];
}

/**
 * Opens or resolves the findings about one part of a target, and routes these changes. Everything else that is known of the target stays as it
 * is: the part says nothing about the lockfiles.
 */
export async function comparePart(
  judged: JudgedPart,
  { routing, policy, suppressions }: ComparisonRules,
): Promise<ComparedScan> {
  const { scan, target, requestedAt, judgedAt, part, previous, findings, gaps } = judged;
  const { isOpen = () => gaps.length > 0 } = judged;
  const noteLimit = noteLimitOf(policy);
  const { before, others } = splitState(previous, part);
  const compared = await compareFindings(before, findings, {
    scan,
    requestedAt,
    partial: true,
    paths: [part.location],
    stillOpen: (finding) => (isOpen(finding) ? finding : undefined),
    noteLimit,
    suppressor: await createSuppressor(suppressions, target, {
      now: judgedAt,
      targetLimit: policy.targetSuppressions,
    }),
    judgedAt,
  });
  const tracked = [...others, ...compared.tracked];
  const routed = await routeChanges(routing, target, compared.changes);
  const verdict: Verdict = {
    scan,
    target,
    requestedAt,
    findings: compared.findings,
    changes: compared.changes,
    gaps,
    complete: previous?.incomplete !== true && gaps.length === 0,
    partial: true,
    open: openFindings(tracked),
    kept: compared.kept,
    counts: countScan({ lockfiles: [], unread: [] }, compared.findings),
    superseded: compared.superseded,
    routed: Object.fromEntries(routed.map(({ rule, changes }) => [rule.name, changes])),
  };
  const replaces = previous?.revision ?? 0;
  const common = { verdict, routed, resolved: [], replaces, lockfiles: undefined };
  if (compared.superseded || part.state === undefined) return { ...common, state: undefined };
  const { dueAt: _due, ...kept } = previous ?? { scan, requestedAt, parts: { lockfiles: {} } };
  const state: TargetState = {
    // Of a target whose lockfiles were never scanned, no scan is known.
    ...kept,
    ...part.state,
    revision: nextRevision(replaces),
    findings: tracked,
    ...dueAfter(tracked, noteLimit),
    history: historyAfter(previous, { scan, requestedAt }, { changes: verdict.changes, gaps: gaps.length }),
  };
  return { ...common, state };
}

/**
 * The findings about the part, with the times of its own verdicts alone, because scans of lockfiles do not supersede these; and all other
 * findings.
 */
function splitState(state: TargetState | undefined, { has, location, judgedAt }: TargetPart) {
  if (state === undefined) return { before: undefined, others: [] };
  const isOwn = ({ finding }: TrackedFinding) => has(finding);
  return {
    before: {
      ...state,
      parts: { lockfiles: judgedAt === undefined ? {} : { [location]: judgedAt } },
      findings: state.findings.filter(isOwn),
    },
    others: state.findings.filter((one) => !isOwn(one)),
  };
}
