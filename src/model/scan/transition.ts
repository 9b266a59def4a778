/** Transitions of a finding between two scans (promise 2). */
export type Transition = 'opened' | 'worsened' | 'reopened' | 'disputed' | 'suppressed' | 'resolved';

/** Transitions in the order in which they are listed. */
export const TRANSITIONS: readonly Transition[] = [
  'opened',
  'worsened',
  'reopened',
  'disputed',
  'suppressed',
  'resolved',
];

/** Numbers of changes by transition. */
export type TransitionCounts = Readonly<Record<Transition, number>>;

/** Whether the finding no longer alerts after it. */
export function endsAlert(transition: Transition): boolean {
  return transition === 'resolved' || transition === 'suppressed';
}
