import type { TrackedFinding } from '../model/change.ts';
import type { Finding } from '../model/finding.ts';
import { packageKey, sameIssue } from './same-finding.ts';

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
 * Recognises findings of the last scan. Exact versions first; then an issue whose package merely moved to another
 * version is the same finding, because an upgrade that does not help is no news. An issue seen under two names, since
 * an advisory that joins them did not load this time, stays the one finding that it was.
 */
export function matchFindings(findings: readonly Finding[], remembered: readonly TrackedFinding[]): Matched {
  const candidates = Map.groupBy(remembered, ({ finding }) => packageKey(finding));
  const taken = new Set<TrackedFinding>();
  const matches = new Map<Finding, TrackedFinding>();
  const split = new Set<Finding>();
  for (const finding of findings) {
    const same = candidatesFor(finding, candidates).filter(
      (tracked) => tracked.finding.package.purl === finding.package.purl,
    );
    const tracked = same.find((one) => !taken.has(one));
    if (tracked !== undefined) {
      taken.add(tracked);
      matches.set(finding, tracked);
    } else if (same.length > 0) split.add(finding);
  }
  for (const finding of findings) {
    if (matches.has(finding) || split.has(finding)) continue;
    const moved = candidatesFor(finding, candidates).find((one) => one.status === 'open' && !taken.has(one));
    if (moved === undefined) continue;
    taken.add(moved);
    matches.set(finding, moved);
  }
  return {
    found: findings
      .filter((finding) => !split.has(finding))
      .map((finding) => named(finding, matches.get(finding))),
    gone: remembered.filter((tracked) => !taken.has(tracked)),
  };
}

function candidatesFor(
  finding: Finding,
  candidates: ReadonlyMap<string, readonly TrackedFinding[]>,
): readonly TrackedFinding[] {
  return (candidates.get(packageKey(finding)) ?? []).filter((tracked) => sameIssue(tracked.finding, finding));
}

function named(finding: Finding, tracked: TrackedFinding | undefined): MatchedFinding {
  if (tracked === undefined) return { finding, tracked };
  return { finding: { ...finding, fingerprint: tracked.finding.fingerprint }, tracked };
}
