import type { TrackedFinding } from '../model/scan/change.ts';
import type { Finding } from '../model/scan/finding.ts';
import { compareSeverity, countedSeverity } from '../model/scan/severity.ts';
import { inSlices, mapInSlices } from '../model/yielding.ts';
import { issueKeys, isUnloaded, unusedFingerprint, withNamesOf } from './same-finding.ts';

/** A finding of this scan and the stored finding that it matches. */
export interface MatchedFinding {
  /** The finding, with the stored fingerprint. */
  readonly finding: Finding;
  readonly tracked: TrackedFinding | undefined;
}

/**
 * Matches the findings of a scan with stored ones that share rule, package and a name of the issue:
 * - First with open ones at the same version. Stored findings that turn out to be one issue are merged without a notification. An issue with
 * two names stays one finding when the advisory that joins them did not load this time.
 * - Then at another version: an upgrade that keeps the issue is not a change. It is one when the first version may still be
 * present (`remaining`).
 * - Then with resolved ones at the same version, which reopen.
 * `absent`: stored findings that this scan did not find.
 */
export async function matchFindings(
  findings: readonly Finding[],
  stored: readonly TrackedFinding[],
  remaining: (finding: Finding) => Finding | undefined,
) {
  const index = new TrackedIndex();
  for await (const slice of inSlices(stored)) for (const tracked of slice) index.add(tracked);
  const { matches, rest, matched } = await matchVersions(findings, index);
  const movable = (one: TrackedFinding) =>
    one.status === 'open' && !matched.has(one) && remaining(one.finding) === undefined;
  for await (const slice of inSlices(rest)) {
    for (const finding of slice) {
      const moved = index.first(finding, movable);
      const same = moved === undefined ? freeOf(index.sameVersion(finding), matched) : [moved];
      const match = { finding, tracked: same[0] };
      for (const tracked of same) matched.set(tracked, match);
      matches.push(match);
    }
  }
  const used = new Set(stored.map(({ finding }) => finding.fingerprint));
  const found = await mapInSlices(matches, ({ finding, tracked }) => {
    const fingerprint = tracked?.finding.fingerprint ?? unusedFingerprint(finding.fingerprint, used);
    return { finding: { ...finding, fingerprint }, tracked };
  });
  return { found, absent: stored.filter((tracked) => !matched.has(tracked)) };
}

interface Match {
  finding: Finding;
  readonly tracked: TrackedFinding | undefined;
}

/** Returns the matches, the findings without one, and the stored findings that were found again with their match. */
async function matchVersions(findings: readonly Finding[], index: TrackedIndex) {
  const matches: Match[] = [];
  const rest: Finding[] = [];
  const matched = new Map<TrackedFinding, Match>();
  for await (const slice of inSlices(findings)) {
    for (const finding of slice) {
      const same = index.sameVersion(finding);
      const free = freeOf(same, matched);
      const owner = same
        .flatMap((tracked) => matched.get(tracked) ?? [])
        .find((match) => isUnloaded(match.finding) || isUnloaded(finding));
      if (free[0]?.status === 'open') {
        const match = { finding, tracked: free[0] };
        for (const tracked of free) matched.set(tracked, match);
        matches.push(match);
      } else if (free.length === 0 && owner !== undefined) {
        owner.finding = isUnloaded(owner.finding)
          ? withNamesOf(finding, owner.finding)
          : withNamesOf(owner.finding, finding);
      } else rest.push(finding);
    }
  }
  return { matches, rest, matched };
}

/** The stored findings that no finding has matched. The first one is that with which the others are merged. */
function freeOf(
  stored: readonly TrackedFinding[],
  matched: ReadonlyMap<TrackedFinding, Match>,
): readonly TrackedFinding[] {
  return stored.filter((tracked) => !matched.has(tracked)).sort(compareForMerge);
}

/** Merged findings continue as the open one of the worst severity, so that nothing is reported again. */
function compareForMerge(left: TrackedFinding, right: TrackedFinding): number {
  return (
    Number(left.status !== 'open') - Number(right.status !== 'open') ||
    Number(left.finding.level === 'note') - Number(right.finding.level === 'note') ||
    compareSeverity(countedSeverity(left.finding), countedSeverity(right.finding))
  );
}

interface Entry {
  readonly tracked: TrackedFinding;
  readonly order: number;
}

/** The entries of one key, and the position where the next search starts. */
interface Row {
  readonly entries: Entry[];
  at: number;
}

/** Stored findings by their subject: the cost of a look-up does not depend on their number. */
class TrackedIndex {
  readonly #versions = new Map<string, Row>();
  readonly #issues = new Map<string, Row>();
  #order = 0;

  add(tracked: TrackedFinding): void {
    const entry = { tracked, order: this.#order };
    this.#order += 1;
    for (const key of issueKeys(tracked.finding)) {
      add(this.#issues, key, entry);
      add(this.#versions, versionKey(tracked.finding, key), entry);
    }
  }

  /** The stored findings about the same issue of the same package version, in their order. */
  sameVersion(finding: Finding): readonly TrackedFinding[] {
    if (this.#versions.size === 0) return [];
    const found = new Set<Entry>();
    for (const key of issueKeys(finding)) {
      for (const entry of this.#versions.get(versionKey(finding, key))?.entries ?? []) found.add(entry);
    }
    return [...found].sort((left, right) => left.order - right.order).map(({ tracked }) => tracked);
  }

  /**
   * The first one about the same issue of the package, at any version, for which `holds` is true. A finding for which it was
   * false is never tested again.
   */
  first(finding: Finding, holds: (tracked: TrackedFinding) => boolean): TrackedFinding | undefined {
    if (this.#issues.size === 0) return undefined;
    let first: Entry | undefined;
    for (const key of issueKeys(finding)) {
      const entry = headOf(this.#issues.get(key), holds);
      if (entry !== undefined && (first === undefined || entry.order < first.order)) first = entry;
    }
    return first?.tracked;
  }
}

function headOf(row: Row | undefined, holds: (tracked: TrackedFinding) => boolean): Entry | undefined {
  if (row === undefined) return undefined;
  for (let entry = row.entries[row.at]; entry !== undefined; entry = row.entries[row.at]) {
    if (holds(entry.tracked)) return entry;
    row.at += 1;
  }
  return undefined;
}

function add(rows: Map<string, Row>, key: string, entry: Entry): void {
  const row = rows.get(key);
  if (row === undefined) rows.set(key, { entries: [entry], at: 0 });
  else row.entries.push(entry);
}

function versionKey({ package: { purl } }: Finding, key: string): string {
  return `${purl} ${key}`;
}
