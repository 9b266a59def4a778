import type { DigestEntry } from './alert/digest.ts';
import type { Notification } from './alert/notification.ts';
import type { Advisory } from './scan/advisory.ts';
import type { Change, TargetState, TrackedFinding } from './scan/change.ts';
import type { Finding, RatedSeverity, Severity } from './scan/finding.ts';
import type { Verdict } from './scan/verdict.ts';

/*
 * What release 0.1.0 saved, as it reads today. That release knew no levels (every finding alerted), called `unrated`
 * `unknown`, and had one rule `missing` for what are `vanished` and `unindexed` now. Documents of today pass unchanged.
 */

/** A document in which findings and severities may be as release 0.1.0 wrote them. */
export type Saved<Document> = { readonly [Key in keyof Document]?: unknown };

type SavedFinding = Omit<Finding, 'level' | 'severity'> & {
  readonly level?: Finding['level'];
  readonly severity: Severity | 'unknown';
};
type SavedCounts = Readonly<Partial<Record<Severity | 'unknown', number>>>;

/** Of a scan that was under way. */
export function upgradeAdvisory(saved: Advisory & { readonly cvss3Score?: number }): Advisory {
  if (saved.score !== undefined) return saved;
  const { cvss3Score: score } = saved;
  return { ...saved, ...(score === undefined ? {} : { score }) };
}

/** What was alerted as missing stays an alert until it is resolved: nothing new is to be told of it. */
export function upgradeState(saved: Saved<TargetState>): TargetState {
  const state = saved as TargetState;
  return { ...state, findings: state.findings.map(upgradeTracked) };
}

export function upgradeNotification(saved: Saved<Notification>): Notification {
  const notification = saved as Notification;
  return {
    ...notification,
    changes: notification.changes.map(upgradeChange),
    open: upgradeCounts(notification.open),
  };
}

export function upgradeDigestEntry(saved: Saved<DigestEntry>): DigestEntry {
  const entry = saved as DigestEntry;
  return { ...entry, changes: entry.changes.map(upgradeChange), open: upgradeCounts(entry.open) };
}

export function upgradeVerdict(saved: Saved<Verdict>): Verdict {
  const verdict = saved as Verdict;
  const { counts } = verdict;
  return {
    ...verdict,
    findings: verdict.findings.map(upgradeFinding),
    changes: verdict.changes.map(upgradeChange),
    open: upgradeCounts(verdict.open ?? counts.severities),
    counts: { ...counts, severities: upgradeCounts(counts.severities), notes: counts.notes ?? 0 },
  };
}

// What is as today is not copied: there may be hundreds of thousands.

function upgradeTracked<Tracked extends TrackedFinding>(tracked: Tracked): Tracked {
  const finding = upgradeFinding(tracked.finding);
  const worst = worstOf(tracked);
  return finding === tracked.finding && worst === tracked.worst
    ? tracked
    : { ...tracked, finding, ...(worst === undefined ? {} : { worst }) };
}

function worstOf({ worst }: TrackedFinding): RatedSeverity | undefined {
  return (worst as string | undefined) === 'unknown' ? 'medium' : worst;
}

function upgradeChange<Changed extends Change>(change: Changed): Changed {
  const finding = upgradeFinding(change.finding);
  const isOld = (change.previousSeverity as string | undefined) === 'unknown';
  if (finding === change.finding && !isOld) return change;
  return { ...change, finding, ...(isOld ? { previousSeverity: 'unrated' } : {}) };
}

function upgradeFinding(saved: SavedFinding): Finding {
  if (isCurrent(saved)) return saved;
  const { level = 'alert', ...rest } = saved;
  const severity = saved.severity === 'unknown' ? 'unrated' : saved.severity;
  const finding = { ...rest, level, severity };
  if (finding.rule !== 'missing') return finding;
  return { ...finding, rule: 'unindexed', issue: finding.package.version };
}

function isCurrent(saved: SavedFinding): saved is Finding {
  return saved.level !== undefined && saved.severity !== 'unknown' && saved.rule !== 'missing';
}

function upgradeCounts(saved: SavedCounts): Readonly<Record<Severity, number>> {
  const { unknown = 0, unrated = unknown, ...rated } = saved;
  return { critical: 0, high: 0, medium: 0, low: 0, none: 0, ...rated, unrated };
}
