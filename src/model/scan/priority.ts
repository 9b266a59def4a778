import { countedSeverity, type RatedSeverity, type Severity } from './severity.ts';

/** Points of a severity without a score. */
export const SEVERITY_POINTS: Readonly<Record<RatedSeverity, number>> = {
  critical: 57,
  high: 48,
  medium: 33,
  low: 15,
  none: 0,
};

/** The priority of a finding, 0 to 100; before it was computed, the points of its severity. */
export function priorityScore(finding: {
  readonly severity: Severity;
  readonly countsAs?: RatedSeverity;
  readonly priority?: { readonly score: number };
}): number {
  return finding.priority?.score ?? SEVERITY_POINTS[countedSeverity(finding)];
}
