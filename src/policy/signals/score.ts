import type { Signal } from '../../model/signal/inspection.ts';
import type { SignalName } from '../../model/signal/signals.ts';

/** From this score on, the signals of a version are an incident and alert. */
export const INCIDENT_SCORE = 4;
/** From this score on, an incident is critical. */
export const CRITICAL_SCORE = 6;

/** Points by signal and grade; `docs/signals.md` has the same table with the reasons. Signals without points are never incidents. */
export const POINTS: Readonly<Record<SignalName, Readonly<Record<string, number>>>> = {
  'integrity-mismatch': { foreign: 4, unknown: 4 },
  'young-requirement': { address: 3, package: 3, unknown: 2, scope: 1 },
  'provenance-lost': { unverified: 3, missing: 2, 'other-repository': 2 },
  burst: { strong: 3, project: 2, flurry: 2, plain: 1 },
  'look-alike': { 'near-young': 4, near: 2, far: 1 },
  'capability-gained': { 'network-and-exec': 3, serious: 2, other: 1 },
  'install-script': { '': 2 },
  withdrawn: { 'default-moved-back': 3, plain: 2 },
  'pulled-siblings': { '': 2 },
  revived: { package: 2, line: 1 },
  'source-moved': { '': 2 },
  'dependency-changed': { '': 2, lockfile: 1 },
  'scorecard-dropped': { workflow: 2, plain: 1 },
  'fresh-release': { '': 1 },
  unmaintained: { '': 0 },
  behind: { '': 0 },
};

/**
 * Signals that most updates have. They are reasons of other findings, and findings of their own only where `policy.rules` gives their
 * rule a level.
 */
export const REASONS_ONLY: ReadonlySet<string> = new Set<SignalName>(['fresh-release', 'behind']);

/** Groups whose packages do not run in production. */
const DEVELOPMENT = new Set(['dev', 'test', 'build']);

/** The points of one signal of a package in some groups. A lost provenance counts less for tools of development. */
export function pointsOf({ signal, grade = '' }: Signal, groups: readonly string[]): number {
  const points = Object.hasOwn(POINTS, signal) ? (POINTS[signal as SignalName][grade] ?? 0) : 0;
  const isForDevelopment = groups.some((group) => DEVELOPMENT.has(group));
  return signal === 'provenance-lost' && isForDevelopment ? Math.max(0, points - 1) : points;
}
