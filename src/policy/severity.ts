import type { AdvisoryEvidence, Severity } from '../model/scan/finding.ts';

/** The severity of an issue. Malware, which OSV names `MAL-…`, is critical regardless of its score. */
export function severityOf({
  id,
  aliases,
  score,
}: Pick<AdvisoryEvidence, 'id' | 'aliases' | 'score'>): Severity {
  if ([id, ...aliases].some((name) => name.startsWith('MAL-'))) return 'critical';
  return score === undefined ? 'unrated' : ratingOf(score);
}

/** Qualitative rating of a base score (CVSS specification; the same in 3.0, 3.1 and 4.0). */
function ratingOf(score: number): Severity {
  if (score >= 9) return 'critical';
  if (score >= 7) return 'high';
  if (score >= 4) return 'medium';
  return score > 0 ? 'low' : 'none';
}
