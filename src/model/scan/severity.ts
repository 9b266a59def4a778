/** Severities, worst first. */
export const RATED_SEVERITIES = ['critical', 'high', 'medium', 'low', 'none'] as const;
export type RatedSeverity = (typeof RATED_SEVERITIES)[number];

/** `unrated` where an advisory has neither a vector that can be read nor a score. */
export type Severity = RatedSeverity | 'unrated';

/** Severities in the order in which reports list them. */
export const SEVERITIES: readonly Severity[] = ['critical', 'high', 'medium', 'unrated', 'low', 'none'];

/** True when `left` is at least as bad as `right`. */
export function atLeast(left: RatedSeverity, right: RatedSeverity): boolean {
  return compareSeverity(left, right) <= 0;
}

/** For sorting, worst first. */
export function compareSeverity(left: RatedSeverity, right: RatedSeverity): number {
  return RATED_SEVERITIES.indexOf(left) - RATED_SEVERITIES.indexOf(right);
}

/**
 * The severity of a finding for exit codes, routes and order: its own, or what an unrated one counts as, `stepsLess` lower. It is
 * lowered to `low` at most.
 */
export function countedSeverity({
  severity,
  countsAs,
  stepsLess = 0,
}: {
  readonly severity: Severity;
  readonly countsAs?: RatedSeverity;
  readonly stepsLess?: number;
}): RatedSeverity {
  const rated = severity === 'unrated' ? (countsAs ?? 'medium') : severity;
  if (stepsLess === 0 || rated === 'none') return rated;
  const lowest = RATED_SEVERITIES.indexOf('low');
  return RATED_SEVERITIES[Math.min(RATED_SEVERITIES.indexOf(rated) + stepsLess, lowest)] ?? rated;
}
