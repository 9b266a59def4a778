import type { Policy } from '../../model/scan/policy.ts';
import type { Inspection } from '../../model/signal/inspection.ts';
import { REASONS_ONLY } from './catalog.ts';
import { pointsOf } from './score.ts';

/** One reason of a suspicion. */
export interface Reason {
  readonly signal: string;
  readonly points: number;
  readonly text: string;
}

/** The signals of a version in a target, as one judgement. */
export interface Suspicion {
  /** Sum of the points of the reasons. */
  readonly score: number;
  /** The most points first; never empty. */
  readonly reasons: readonly Reason[];
  /** The signal that names a finding that is no incident; `undefined` when none is a finding of its own, or not any more. */
  readonly headline: string | undefined;
}

export interface SuspectedPackage {
  readonly target: string;
  readonly groups: readonly string[];
}

/** Combines the signals of a version. `undefined` without a signal. A rule that is `off` does not count. */
export function suspicionOf(
  { signals }: Pick<Inspection, 'signals'>,
  { target, groups }: SuspectedPackage,
  { rules }: Pick<Policy, 'rules'>,
): Suspicion | undefined {
  const counted = signals
    .filter((one) => one.target === undefined || one.target === target)
    .filter(({ signal }) => rules[signal]?.level !== 'off')
    .map((one) => ({ ...one, points: pointsOf(one, groups) }))
    // The order of signals of the same number of points stays.
    .sort((left, right) => right.points - left.points);
  if (counted.length === 0) return undefined;
  return {
    score: counted.reduce((sum, { points }) => sum + points, 0),
    reasons: counted.map(({ signal, points, text }) => ({ signal, points, text })),
    headline: counted.find(
      ({ past, signal }) =>
        past !== true && (rules[signal]?.level !== undefined || !REASONS_ONLY.has(signal)),
    )?.signal,
  };
}
