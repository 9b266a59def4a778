import type { Advisory } from '../model/advisory.ts';
import type { Severity } from '../model/finding.ts';
import { cvss3BaseScore } from './cvss.ts';

/** The score of an advisory: computed from its vector, else the one it states, else none. */
export function scoreOf({ cvss3Vector, cvss3Score }: Advisory): number | undefined {
  return (cvss3Vector === undefined ? undefined : cvss3BaseScore(cvss3Vector)) ?? cvss3Score;
}

/** Qualitative rating of a base score (CVSS v3.1 specification, section 5). */
export function severityOf(score: number | undefined): Severity {
  if (score === undefined) return 'unrated';
  if (score >= 9) return 'critical';
  if (score >= 7) return 'high';
  if (score >= 4) return 'medium';
  return score > 0 ? 'low' : 'none';
}
