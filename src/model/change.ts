import type { Finding, Severity } from './finding.ts';

/** Transitions of a finding between two scans (promise 2). */
export type Transition = 'opened' | 'worsened' | 'reopened' | 'resolved';

/** In the order in which they are listed. */
export const TRANSITIONS: readonly Transition[] = ['opened', 'worsened', 'reopened', 'resolved'];

export interface Change {
  readonly transition: Transition;
  readonly finding: Finding;
  /** For `worsened` the severity before; for `resolved` the worst it was, when that is worse than the last one. */
  readonly previousSeverity?: Severity;
}

/** A finding as remembered between scans. */
export interface TrackedFinding {
  readonly finding: Finding;
  readonly status: 'open' | 'resolved';
  /** RFC 3339 times of the scans that saw the transitions. */
  readonly openedAt: string;
  readonly changedAt: string;
  /** The worst severity since it opened, where it has become less bad. */
  readonly worst?: Severity;
}

/** Everything remembered of a target: the outcome of its last judged scan. */
export interface TargetState {
  /** Grows by one with each judged scan; a write names the revision that it replaces. */
  readonly revision: number;
  readonly scan: string;
  /** `requestedAt` of that scan: an older scan never replaces a newer one. */
  readonly requestedAt: string;
  readonly findings: readonly TrackedFinding[];
}
