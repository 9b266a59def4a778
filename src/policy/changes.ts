import type { Announcement, Change, TargetState, TrackedFinding } from '../model/scan/change.ts';
import { atLeast, countedSeverity, type Finding, type RatedSeverity } from '../model/scan/finding.ts';
import { mapInTurns, sortInTurns } from '../model/turns.ts';
import { compareFindingOrder } from './finding-order.ts';
import { type MatchedFinding, matchFindings } from './match-findings.ts';
import { isUnloaded } from './same-finding.ts';
import { laterScans, type ScanScope } from './scan-order.ts';
import { type StillOpen, withUnseenLocations } from './still-open.ts';

export interface ComparedScan extends ScanScope {
  readonly scan: string;
  readonly stillOpen: StillOpen;
  /** How long a finding of a rule may stay open as a note before it becomes an alert; milliseconds. */
  readonly noteLimit: (rule: string) => number;
  /** How a finding is told that opens now; absent or `undefined`: by itself. */
  readonly announce?: (finding: Finding) => Announcement | undefined;
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
export async function compareFindings(
  previous: TargetState | undefined,
  findings: readonly Finding[],
  scan: ComparedScan,
): Promise<Comparison> {
  const remembered = previous?.findings ?? [];
  const { superseded, isLater } = laterScans(previous, scan);
  if (superseded) return { findings, changes: [], tracked: remembered, kept: 0, superseded };
  const remaining = (finding: Finding) => scan.stillOpen(finding, isLater);
  const { found, gone } = await matchFindings(await withoutLater(findings, isLater), remembered, remaining);
  const present = await mapInTurns(found, (matched) => follow(matched, scan, remaining));
  const absent = await mapInTurns(gone, (tracked) => leave(tracked, scan.requestedAt, remaining));
  const steps = [...present, ...absent];
  return {
    findings: await sortInTurns(
      present.map(({ tracked }) => tracked.finding),
      compareFindingOrder,
    ),
    changes: await sortInTurns(
      steps.flatMap(({ change }) => change ?? []),
      (left, right) => compareFindingOrder(left.finding, right.finding),
    ),
    tracked: await bounded(steps.map(({ tracked }) => tracked)),
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
async function withoutLater(
  findings: readonly Finding[],
  isLater: (path: string) => boolean,
): Promise<readonly Finding[]> {
  const standing = await mapInTurns(findings, (finding) => {
    if (!finding.locations.some(({ path }) => isLater(path))) return finding;
    const locations = finding.locations.filter(({ path }) => !isLater(path));
    return locations.length === 0 ? undefined : { ...finding, locations };
  });
  return standing.filter((finding) => finding !== undefined);
}

function follow({ finding, tracked }: MatchedFinding, scan: ComparedScan, remaining: Remaining): Step {
  const now = scan.requestedAt;
  if (tracked?.status !== 'open') {
    const announced = tracked === undefined ? announcedAs(scan.announce?.(finding)) : {};
    return {
      tracked: { finding, status: 'open', openedAt: now, changedAt: now, ...announced },
      change: { transition: tracked === undefined ? 'opened' : 'reopened', finding, ...announced },
    };
  }
  const before = tracked.finding;
  const known = withUnseenLocations(keepWhatWasKnown(finding, before), remaining(before));
  const kept = { ...known, level: levelSince(tracked, finding, scan) };
  const step = { ...tracked, finding: kept, ...worstSince(tracked, kept) };
  // Receivers hear of it for the first time.
  if (kept.level === 'alert' && before.level === 'note') {
    const change: Change = { transition: 'opened', finding: kept, ...announcedAs(tracked.announced) };
    return { tracked: { ...step, changedAt: now }, change };
  }
  if (!isWorse(kept, before)) return { tracked: step };
  const { announced: _, ...others } = step;
  return {
    tracked: { ...others, changedAt: now },
    change: { transition: 'worsened', finding: kept, previousSeverity: before.severity },
  };
}

/** What was an alert stays one until it is resolved, so that receivers hear of that too. */
function levelSince(
  { finding: before, openedAt }: TrackedFinding,
  { level, rule }: Finding,
  { requestedAt, noteLimit }: ComparedScan,
): Finding['level'] {
  const overdue = Date.parse(requestedAt) - Date.parse(openedAt) > noteLimit(rule);
  return before.level === 'alert' || overdue ? 'alert' : level;
}

/** A finding that is provably gone is resolved; any other stays open where it may still stand. */
function leave(tracked: TrackedFinding, requestedAt: string, remaining: Remaining): Step {
  if (tracked.status === 'resolved') return { tracked };
  const rest = remaining(tracked.finding);
  if (rest !== undefined) return { tracked: { ...tracked, finding: rest } };
  const { finding } = tracked;
  return {
    tracked: { ...tracked, status: 'resolved', changedAt: requestedAt },
    change: { transition: 'resolved', finding, ...previousOf(tracked), ...announcedAs(tracked.announced) },
  };
}

function announcedAs(announced: Announcement | undefined): { readonly announced?: Announcement } {
  return announced === undefined ? {} : { announced };
}

/** What was told as bad stays remembered as bad until it is resolved. */
function worstSince({ worst, finding }: TrackedFinding, now: Finding): { readonly worst?: RatedSeverity } {
  const before = worst ?? countedSeverity(finding);
  return atLeast(countedSeverity(now), before) ? {} : { worst: before };
}

function previousOf({ worst, finding }: TrackedFinding): { readonly previousSeverity?: RatedSeverity } {
  if (worst === undefined || atLeast(countedSeverity(finding), worst)) return {};
  return { previousSeverity: worst };
}

/** An advisory that does not load this time takes nothing back of what it said before. */
function keepWhatWasKnown(finding: Finding, before: Finding): Finding {
  const forgotten = finding.severity === 'unrated' && before.severity !== 'unrated';
  if (!forgotten && !isUnloaded(finding)) return finding;
  const { countsAs: _now, ...rest } = finding;
  const { severity, countsAs, title, advisory } = before;
  return {
    ...rest,
    severity,
    title,
    ...(countsAs === undefined ? {} : { countsAs }),
    ...(advisory === undefined ? {} : { advisory }),
  };
}

/** That an unrated one counts as something else now is the configuration's doing, and no news. */
function isWorse(now: Finding, before: Finding): boolean {
  return now.severity !== 'unrated' && !atLeast(countedSeverity(before), countedSeverity(now));
}

async function bounded(tracked: readonly TrackedFinding[]): Promise<readonly TrackedFinding[]> {
  const open = tracked.filter(({ status }) => status === 'open');
  const resolved = tracked.filter(({ status }) => status === 'resolved');
  if (resolved.length <= MAX_RESOLVED) return [...open, ...resolved];
  const dated = await mapInTurns(resolved, (one) => ({ one, time: Date.parse(one.changedAt) }));
  const newest = (await sortInTurns(dated, (left, right) => right.time - left.time)).slice(0, MAX_RESOLVED);
  return [...open, ...newest.map(({ one }) => one)];
}
