import type { Finding } from '../scan/finding.ts';
import type { Gap } from '../scan/gap.ts';

/** The base of a comparison: a commit, the report of an earlier scan, or the stored data of the target at a time. */
export type ComparisonBase =
  | { readonly kind: 'git'; readonly name: string; readonly commit: string }
  | { readonly kind: 'report'; readonly name: string; readonly requestedAt: string }
  | { readonly kind: 'time'; readonly name: string };

/** How the findings of a scan differ from those of its base. Only introduced and refused findings count for exit codes. */
export interface ScanComparison {
  readonly base: ComparisonBase;
  /** Fingerprints of findings that the base does not have, has with a lower severity, or has in fewer lockfiles. */
  readonly introduced: readonly string[];
  /** Fingerprints of known malware that the base has, too: a report that accepts it is not followed. */
  readonly refused: readonly string[];
  /** Findings of the base that are provably gone. */
  readonly gone: readonly Finding[];
  /** Gaps of this scan that the base did not have. */
  readonly newGaps: readonly Gap[];
  /** Number of gaps of the base: findings may be introduced only because the base could not see them. */
  readonly baseGaps: number;
}

/** The findings of a scan: those that count, and those that the base has, too. All count without a comparison. */
export function splitFindings(
  findings: readonly Finding[],
  comparison: ScanComparison | undefined,
): { readonly counting: readonly Finding[]; readonly known: readonly Finding[] } {
  if (comparison === undefined) return { counting: findings, known: [] };
  const counting = new Set([...comparison.introduced, ...comparison.refused]);
  return {
    counting: findings.filter(({ fingerprint }) => counting.has(fingerprint)),
    known: findings.filter(({ fingerprint }) => !counting.has(fingerprint)),
  };
}
