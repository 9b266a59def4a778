import { defined } from '../model/defined.ts';
import type { Announcement, Change, TargetState, TrackedFinding } from '../model/scan/change.ts';
import type { Finding } from '../model/scan/finding.ts';
import { atLeast, countedSeverity, type RatedSeverity } from '../model/scan/severity.ts';
import { mapInSlices } from '../model/yielding.ts';
import { toldDisputes, withDispute } from './disputes.ts';
import { compareChanges, compareFindingOrder } from './finding-order.ts';
import { type MatchedFinding, matchFindings } from './match-findings.ts';
import { isNewlyListed } from './priority/exploits.ts';
import { isUnloaded } from './same-finding.ts';
import { laterScans, type ScanScope } from './scan-order.ts';
import { type StillOpen, withUnseenLocations } from './still-open.ts';
import { suppressionStep } from './suppressions/step.ts';
import type { Suppressor } from './suppressions/suppressor.ts';

interface ComparedScan extends ScanScope {
  readonly scan: string;
  readonly stillOpen: StillOpen;
  /** How long a finding of a rule may stay open as a note before it becomes an alert, in milliseconds. */
  readonly noteLimit: (rule: string) => number;
  /** How a newly opened finding is reported; `undefined`: individually. */
  readonly announce?: (finding: Finding) => Announcement | undefined;
  /** The suppressions of the target, and the time that decides whether they have expired, in ms since 1970. Default: none. */
  readonly suppressor?: Pick<Suppressor, 'suppress'>;
  readonly judgedAt?: number;
}

export interface Comparison {
  /** The findings of the scan, with their stored fingerprints. */
  readonly findings: readonly Finding[];
  /** Worst first. */
  readonly changes: readonly Change[];
  /** The findings to store. */
  readonly tracked: readonly TrackedFinding[];
  /** Number of these that are open although the scan neither found nor disproved them. */
  readonly kept: number;
  /** True when scans requested later have judged everything already: nothing changes and nothing is stored. */
  readonly superseded: boolean;
}

/** Why a finding `worsened` that was reported before its rating was known: receivers of that severity have not got it yet. */
const RATED_LATER = 'its severity was not known before';

/** Resolved findings that are stored to recognise that they return. */
const MAX_RESOLVED = 1_000;

/** Compares the findings of a scan with the stored findings of its target. */
export async function compareFindings(
  previous: TargetState | undefined,
  findings: readonly Finding[],
  scan: ComparedScan,
): Promise<Comparison> {
  const stored = previous?.findings ?? [];
  const { superseded, isLater } = laterScans(previous, scan);
  if (superseded) {
    const shown = await mapInSlices(findings, (finding) => suppressIn(scan, finding));
    return { findings: shown, changes: [], tracked: stored, kept: 0, superseded };
  }
  const remaining = (finding: Finding) => scan.stillOpen(finding, isLater);
  const { found, absent } = await matchFindings(await withoutLater(findings, isLater), stored, remaining);
  const presentSteps = await mapInSlices(found, (matched) => updatePresent(matched, scan, remaining));
  const absentSteps = await mapInSlices(absent, (tracked) =>
    updateAbsent(tracked, { scan, before: previous?.requestedAt }, remaining),
  );
  const steps = [...presentSteps, ...absentSteps];
  return {
    findings: presentSteps.map(({ tracked }) => tracked.finding).toSorted(compareFindingOrder),
    changes: steps.flatMap(({ change }) => change ?? []).toSorted(compareChanges),
    tracked: await limitResolved(steps.map(({ tracked }) => tracked)),
    kept: absentSteps.filter(({ tracked }) => tracked.status === 'open').length,
    superseded,
  };
}

interface Step {
  readonly tracked: TrackedFinding;
  readonly change?: Change;
}

type Remaining = (finding: Finding) => Finding | undefined;

/** Findings without the lockfiles that a scan requested later has judged. */
async function withoutLater(
  findings: readonly Finding[],
  isLater: (path: string) => boolean,
): Promise<readonly Finding[]> {
  const rest = await mapInSlices(findings, (finding) => {
    if (!finding.locations.some(({ path }) => isLater(path))) return finding;
    const locations = finding.locations.filter(({ path }) => !isLater(path));
    return locations.length === 0 ? undefined : { ...finding, locations };
  });
  return rest.filter((finding) => finding !== undefined);
}

function updatePresent({ finding, tracked }: MatchedFinding, scan: ComparedScan, remaining: Remaining): Step {
  const now = scan.requestedAt;
  if (tracked?.status !== 'open') return openStep(suppressIn(scan, finding), tracked, scan);
  const before = tracked.finding;
  const known = withUnseenLocations(withLastEvidence(finding, before), remaining(before));
  const level = levelSince(tracked, finding, scan);
  const kept = withDispute(withKnownExploits(suppressIn(scan, { ...known, level }), before), before, now);
  const disputes = toldDisputes(kept, tracked.disputes);
  const { lastSeenAt: _seen, ...seen } = tracked;
  const isListed = isNewlyListed(kept, before);
  // A probability that changes is no change of the finding: the one that was reported stays.
  const stored = isListed || isWorse(kept, before) ? kept : withProbabilityOf(before, kept);
  const step = { ...seen, finding: stored, ...worstSince(tracked, kept), ...disputes.kept };
  const suppression = suppressionStep(step, before, momentOf(scan));
  if (suppression !== undefined) return suppression;
  // Receivers have not been notified of it before.
  if (kept.level === 'alert' && before.level === 'note') {
    const change: Change = { transition: 'opened', finding: kept, ...announcedAs(tracked.announced) };
    return { tracked: { ...step, finding: kept, changedAt: now }, change };
  }
  const { announced: _, ...others } = step;
  if (!isListed && !isWorse(kept, before)) {
    if (!disputes.isNews || kept.level === 'note') return { tracked: step };
    return {
      tracked: { ...others, changedAt: now },
      change: { transition: 'disputed', finding: kept, since: tracked.openedAt },
    };
  }
  return {
    tracked: { ...others, changedAt: now },
    change: {
      transition: 'worsened',
      finding: kept,
      previousSeverity: before.severity,
      since: tracked.openedAt,
      ...(before.severity === 'unrated' && !isListed ? { reason: RATED_LATER } : {}),
    },
  };
}

/** The first step of a finding that was not open before. */
function openStep(found: Finding, before: TrackedFinding | undefined, scan: ComparedScan): Step {
  const now = scan.requestedAt;
  const finding = withDispute(found, before?.finding, now);
  const opened = {
    ...toldDisputes(finding).kept,
    ...({ finding, status: 'open', openedAt: now, changedAt: now } as const),
  };
  if (finding.suppressed !== undefined) {
    return {
      tracked: { ...opened, unreported: true, ...firstSeen(before) },
      change: { transition: 'suppressed', finding, unreported: true },
    };
  }
  const announced = before === undefined ? announcedAs(scan.announce?.(finding)) : {};
  return {
    tracked: { ...opened, ...announced, ...firstSeen(before) },
    change: {
      transition: before === undefined ? 'opened' : 'reopened',
      finding,
      ...announced,
      ...(before === undefined ? {} : { since: before.firstSeenAt ?? before.openedAt }),
    },
  };
}

function suppressIn({ suppressor }: ComparedScan, finding: Finding): Finding {
  return suppressor === undefined ? finding : suppressor.suppress(finding);
}

function momentOf({ requestedAt, judgedAt = Date.parse(requestedAt) }: ComparedScan) {
  return { requestedAt, judgedAt };
}

/** An alert stays an alert until it is resolved, so that receivers are notified of the resolution. */
function levelSince(
  { finding: before, openedAt }: TrackedFinding,
  { level, rule }: Finding,
  { requestedAt, noteLimit }: ComparedScan,
): Finding['level'] {
  const overdue = Date.parse(requestedAt) - Date.parse(openedAt) > noteLimit(rule);
  return before.level === 'alert' || overdue ? 'alert' : level;
}

/** Resolves a finding that is provably gone; any other stays open at the locations where it may still be. */
function updateAbsent(
  tracked: TrackedFinding,
  { scan, before }: { readonly scan: ComparedScan; readonly before: string | undefined },
  remaining: Remaining,
): Step {
  if (tracked.status === 'resolved') return { tracked };
  const lastSeenAt = tracked.lastSeenAt ?? before ?? tracked.changedAt;
  const rest = remaining(tracked.finding);
  if (rest !== undefined) {
    const step = { ...tracked, finding: suppressIn(scan, rest), lastSeenAt };
    return suppressionStep(step, tracked.finding, momentOf(scan)) ?? { tracked: step };
  }
  const { finding, announced, unreported } = tracked;
  return {
    tracked: { ...tracked, status: 'resolved', changedAt: scan.requestedAt, lastSeenAt },
    change: {
      transition: 'resolved',
      finding,
      since: tracked.openedAt,
      ...previousOf(tracked),
      ...announcedAs(announced),
      ...(unreported === true ? { unreported } : {}),
    },
  };
}

function firstSeen(before: TrackedFinding | undefined): Pick<TrackedFinding, 'firstSeenAt'> {
  return before === undefined ? {} : { firstSeenAt: before.firstSeenAt ?? before.openedAt };
}

function announcedAs(announced: Announcement | undefined): { readonly announced?: Announcement } {
  return announced === undefined ? {} : { announced };
}

/** The worst severity that was reported is stored until the finding is resolved. */
function worstSince({ worst, finding }: TrackedFinding, now: Finding): { readonly worst?: RatedSeverity } {
  const before = worst ?? countedSeverity(finding);
  return atLeast(countedSeverity(now), before) ? {} : { worst: before };
}

function previousOf({ worst, finding }: TrackedFinding): { readonly previousSeverity?: RatedSeverity } {
  if (worst === undefined || atLeast(countedSeverity(finding), worst)) return {};
  return { previousSeverity: worst };
}

/** When its advisory did not load this time, a finding keeps its last severity and evidence. */
function withLastEvidence(finding: Finding, before: Finding): Finding {
  const lostSeverity = finding.severity === 'unrated' && before.severity !== 'unrated';
  if (!lostSeverity && !isUnloaded(finding)) return finding;
  const { countsAs: _now, ...rest } = finding;
  const { severity, countsAs, title, advisory } = before;
  return {
    ...rest,
    severity,
    title,
    ...defined({ countsAs, advisory }),
  };
}

/** The known facts about exploitation stay when the lists are not there this time. */
function withKnownExploits(finding: Finding, { kev, epss }: Finding): Finding {
  return {
    ...defined({ kev, epss }),
    ...finding,
  };
}

function withProbabilityOf({ epss: before }: Finding, { epss: _now, ...finding }: Finding): Finding {
  return { ...finding, ...defined({ epss: before }) };
}

/** A changed `unknownSeverity` of the configuration does not make unrated findings worse. */
function isWorse(now: Finding, before: Finding): boolean {
  return now.severity !== 'unrated' && !atLeast(countedSeverity(before), countedSeverity(now));
}

async function limitResolved(tracked: readonly TrackedFinding[]): Promise<readonly TrackedFinding[]> {
  const open = tracked.filter(({ status }) => status === 'open');
  const resolved = tracked.filter(({ status }) => status === 'resolved');
  if (resolved.length <= MAX_RESOLVED) return [...open, ...resolved];
  const dated = await mapInSlices(resolved, (one) => ({ one, time: Date.parse(one.changedAt) }));
  const newest = dated.toSorted((left, right) => right.time - left.time).slice(0, MAX_RESOLVED);
  return [...open, ...newest.map(({ one }) => one)];
}
