import type { Signal } from '../../model/signal/inspection.ts';
import { DETECTORS } from './catalog.ts';
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
