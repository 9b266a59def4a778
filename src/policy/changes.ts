import type { Change, TargetState, TrackedFinding } from '../model/change.ts';
import { type Finding, SEVERITIES, type Severity } from '../model/finding.ts';
import { compareFindingOrder } from './finding-order.ts';
import { type MatchedFinding, matchFindings } from './match-findings.ts';
import { isUnloaded } from './same-finding.ts';
import { laterScans, type ScanScope } from './scan-order.ts';
import { type Remains, withUnseenPlaces } from './what-remains.ts';

export interface ComparedScan extends ScanScope {
  readonly scan: string;
  readonly remains: Remains;
}

export interface Comparison {
  /** The scan's findings, under the fingerprints by which they are remembered. */
  readonly findings: readonly Finding[];
  /** Worst first. */
  readonly changes: readonly Change[];
  /** What to remember now. */
  readonly tracked: readonly TrackedFinding[];
  /** Open ones among these that the scan neither found nor disproved. */
  readonly kept: number;
  /** True when scans asked for later have judged everything already: nothing changes, nothing is to be remembered. */
  readonly superseded: boolean;
}

/** Resolved findings that are remembered to recognise a return. */
const MAX_RESOLVED = 1_000;

/** Compares a scan's findings with what is remembered of the target. */
export function compareFindings(
  previous: TargetState | undefined,
  findings: readonly Finding[],
  scan: ComparedScan,
): Comparison {
  const remembered = previous?.findings ?? [];
  const { superseded, isLater } = laterScans(previous, scan);
  if (superseded) return { findings, changes: [], tracked: remembered, kept: 0, superseded };
  const remaining = (finding: Finding) => scan.remains(finding, isLater);
  const { found, gone } = matchFindings(withoutLater(findings, isLater), remembered, remaining);
  const present = found.map((matched) => follow(matched, scan.requestedAt, remaining));
  const absent = gone.map((tracked) => leave(tracked, scan.requestedAt, remaining));
  const steps = [...present, ...absent];
  return {
    findings: present.map(({ tracked }) => tracked.finding).sort(compareFindingOrder),
    changes: steps
      .flatMap(({ change }) => change ?? [])
      .sort((left, right) => compareFindingOrder(left.finding, right.finding)),
    tracked: bounded(steps.map(({ tracked }) => tracked)),
    kept: absent.filter(({ tracked }) => tracked.status === 'open').length,
    superseded,
  };
}

interface Step {
  readonly tracked: TrackedFinding;
  readonly change?: Change;
}

type Remaining = (finding: Finding) => Finding | undefined;

/** Findings as far as they stand in lockfiles that no scan asked for later has judged. */
function withoutLater(findings: readonly Finding[], isLater: (path: string) => boolean): readonly Finding[] {
  return findings.flatMap((finding) => {
    const locations = finding.locations.filter(({ path }) => !isLater(path));
    if (locations.length === finding.locations.length) return finding;
    return locations.length === 0 ? [] : { ...finding, locations };
  });
}

function follow({ finding, tracked }: MatchedFinding, now: string, remaining: Remaining): Step {
  if (tracked === undefined) {
    return {
      tracked: { finding, status: 'open', openedAt: now, changedAt: now },
      change: { transition: 'opened', finding },
    };
  }
  if (tracked.status === 'resolved') {
    return {
      tracked: { finding, status: 'open', openedAt: now, changedAt: now },
      change: { transition: 'reopened', finding },
    };
  }
  const before = tracked.finding.severity;
  const known = keepWhatWasKnown(finding, tracked.finding);
  const kept = withUnseenPlaces(known, remaining(tracked.finding));
  if (!isWorse(kept.severity, before))
    return { tracked: { ...tracked, finding: kept, ...worstSince(tracked, kept) } };
  return {
    tracked: { ...tracked, finding: kept, changedAt: now, ...worstSince(tracked, kept) },
    change: { transition: 'worsened', finding: kept, previousSeverity: before },
  };
}

/** A finding that is provably gone is resolved; any other stays open where it may still stand. */
function leave(tracked: TrackedFinding, requestedAt: string, remaining: Remaining): Step {
  if (tracked.status === 'resolved') return { tracked };
  const rest = remaining(tracked.finding);
  if (rest !== undefined) return { tracked: { ...tracked, finding: rest } };
  const { finding } = tracked;
  return {
    tracked: { ...tracked, status: 'resolved', changedAt: requestedAt },
    change: { transition: 'resolved', finding, ...previousOf(tracked) },
  };
}

/** What was told as bad stays remembered as bad until it is resolved. */
function worstSince({ worst, finding }: TrackedFinding, now: Finding): { readonly worst?: Severity } {
  const before = worst ?? finding.severity;
  return isLess(now.severity, before) ? { worst: before } : {};
}

function previousOf({ worst, finding }: TrackedFinding): { readonly previousSeverity?: Severity } {
  return worst !== undefined && isLess(finding.severity, worst) ? { previousSeverity: worst } : {};
}

function isLess(left: Severity, right: Severity): boolean {
  return SEVERITIES.indexOf(left) > SEVERITIES.indexOf(right);
}

/** An advisory that does not load this time takes nothing back of what it said before. */
function keepWhatWasKnown(finding: Finding, before: Finding): Finding {
  const forgotten = finding.severity === 'unknown' && before.severity !== 'unknown';
  if (!forgotten && !isUnloaded(finding)) return finding;
  const { severity, title, advisory } = before;
  return { ...finding, severity, title, ...(advisory === undefined ? {} : { advisory }) };
}

/** Severities rise one way; learning what an unknown one is counts when it turns out high or critical. */
function isWorse(now: Severity, before: Severity): boolean {
  if (before === 'unknown') return now === 'critical' || now === 'high';
  return SEVERITIES.indexOf(now) < SEVERITIES.indexOf(before);
}

function bounded(tracked: readonly TrackedFinding[]): readonly TrackedFinding[] {
  const open = tracked.filter(({ status }) => status === 'open');
  const resolved = tracked
    .filter(({ status }) => status === 'resolved')
    .sort((left, right) => Date.parse(right.changedAt) - Date.parse(left.changedAt))
    .slice(0, MAX_RESOLVED);
  return [...open, ...resolved];
}
