import type { Policy } from '../../model/scan/policy.ts';
import type { Inspection, Signal } from '../../model/signal/inspection.ts';
import { DETECTORS, REASONS_ONLY } from './catalog.ts';
import type { Detector } from './detector.ts';

/** From this score on, the signals of a version are an incident and alert. */
export const INCIDENT_SCORE = 4;
/** From this score on, an incident is critical. */
export const CRITICAL_SCORE = 6;

/** Points by signal and grade. */
export const POINTS: Readonly<Record<string, Detector['points']>> = Object.fromEntries(
  DETECTORS.map(({ name, points }) => [name, points]),
);

/** Groups whose packages do not run in production. */
const DEVELOPMENT = new Set(['dev', 'test', 'build']);

/** The points of one signal of a package in some groups. A lost provenance counts less for tools of development. */
export function pointsOf({ signal, grade = '' }: Signal, groups: readonly string[]): number {
  const points = POINTS[signal]?.[grade] ?? 0;
  const isForDevelopment = groups.some((group) => DEVELOPMENT.has(group));
  return signal === 'provenance-lost' && isForDevelopment ? Math.max(0, points - 1) : points;
}

/** The signals of a version in a target, as one judgement. */
export interface Suspicion {
  /** Sum of the points of the reasons. */
  readonly score: number;
  /** The most points first; never empty. */
  readonly reasons: readonly { readonly signal: string; readonly points: number; readonly text: string }[];
  /** The signal that names a finding that is no incident; `undefined` when none is a finding of its own, or not any more. */
  readonly headline: string | undefined;
}

/** Combines the signals of a version. `undefined` without a signal. A rule that is `off` does not count. */
export function suspicionOf(
  { signals }: Pick<Inspection, 'signals'>,
  { target, groups }: { readonly target: string; readonly groups: readonly string[] },
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
