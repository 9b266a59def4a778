import type { TrackedFinding } from '../model/scan/change.ts';
import { compareSeverity, countedSeverity, type Finding } from '../model/scan/finding.ts';
import { inTurns, mapInTurns } from '../model/turns.ts';
import { unusedFingerprint } from './fingerprint.ts';
import { isUnloaded, withNamesOf } from './same-finding.ts';
import { indexTracked, type TrackedIndex } from './tracked-index.ts';

/** A finding of this scan and what was remembered of it. */
export interface MatchedFinding {
  /** With the fingerprint that was there first. */
  readonly finding: Finding;
  readonly tracked: TrackedFinding | undefined;
}

export interface Matched {
  readonly found: readonly MatchedFinding[];
  /** Remembered, and not seen in this scan. */
  readonly gone: readonly TrackedFinding[];
}

/**
 * Recognises remembered findings in those of a scan, by rule, package and a name of the issue in common:
 * - At the same version first. Remembered ones that turn out to be one issue become one, without a word. An issue seen
 *   under two names, since the advisory that joins them did not load this time, stays the one finding that it was.
 * - Then at another version: an upgrade that does not help is no news. It is, when the scan cannot disprove that the
 *   first version is still there (`remaining`): both may be.
 */
export async function matchFindings(
  findings: readonly Finding[],
  remembered: readonly TrackedFinding[],
  remaining: (finding: Finding) => Finding | undefined,
): Promise<Matched> {
  const index = await indexTracked(remembered);
  const { matches, rest, taken } = await matchVersions(findings, index);
  const movable = (one: TrackedFinding) =>
    one.status === 'open' && !taken.has(one) && remaining(one.finding) === undefined;
  for await (const slice of inTurns(rest)) {
    for (const finding of slice) {
      const moved = index.first(finding, movable);
      if (moved !== undefined) taken.set(moved, { finding, tracked: moved });
      matches.push({ finding, tracked: moved });
    }
  }
  const used = new Set(remembered.map(({ finding }) => finding.fingerprint));
  const found = await mapInTurns(matches, ({ finding, tracked }) => {
    const fingerprint = tracked?.finding.fingerprint ?? unusedFingerprint(finding.fingerprint, used);
    return { finding: { ...finding, fingerprint }, tracked };
  });
  return { found, gone: remembered.filter((tracked) => !taken.has(tracked)) };
}

interface Match {
  finding: Finding;
  readonly tracked: TrackedFinding | undefined;
}

interface MatchedVersions {
  readonly matches: Match[];
  readonly rest: readonly Finding[];
  /** Remembered findings that are seen again, and as what. */
  readonly taken: Map<TrackedFinding, Match>;
}

async function matchVersions(findings: readonly Finding[], index: TrackedIndex): Promise<MatchedVersions> {
  const matches: Match[] = [];
  const rest: Finding[] = [];
  const taken = new Map<TrackedFinding, Match>();
  for await (const slice of inTurns(findings)) {
    for (const finding of slice) {
      const same = index.sameVersion(finding);
      const free = same.filter((tracked) => !taken.has(tracked)).sort(compareStanding);
      const owner = same
        .flatMap((tracked) => taken.get(tracked) ?? [])
        .find((match) => isUnloaded(match.finding) || isUnloaded(finding));
      if (free.length > 0) {
        const match = { finding, tracked: free[0] };
        for (const tracked of free) taken.set(tracked, match);
        matches.push(match);
      } else if (owner !== undefined) {
        owner.finding = isUnloaded(owner.finding)
          ? withNamesOf(finding, owner.finding)
          : withNamesOf(owner.finding, finding);
      } else rest.push(finding);
    }
  }
  return { matches, rest, taken };
}

/**
 * Of several that become one, the open one that was told as worst goes on: nothing seems new or worse that was told
 * already.
 */
function compareStanding(left: TrackedFinding, right: TrackedFinding): number {
  return (
    Number(left.status !== 'open') - Number(right.status !== 'open') ||
    Number(left.finding.level === 'note') - Number(right.finding.level === 'note') ||
    compareSeverity(countedSeverity(left.finding), countedSeverity(right.finding))
  );
}
