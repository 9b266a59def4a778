import type { Change, TransitionCounts } from '../scan/change.ts';
import type { Severity } from '../scan/finding.ts';
import type { Target } from '../scan/target.ts';

/** A change as it is told: a digest over several targets says whose it is. */
export interface NotifiedChange extends Change {
  /** Id of the target, where it is another one than the notification's. */
  readonly target?: string;
}

/** What the receivers of one route are told at once: the unit of delivery. */
export interface Notification {
  /** Stable over retries: receivers drop repeats by it. */
  readonly id: string;
  /** Name of the route it goes by; `default` where none are configured. */
  readonly route: string;
  /** `digest`: the changes of one scan. `change`: one of them. `periodic`: those of many scans, gathered over a time. */
  readonly mode?: NotificationMode;
  readonly scan: string;
  /** Of a digest over several targets: their number as id, and the labels that all of them have. */
  readonly target: Target;
  /** `requestedAt` of the scan. */
  readonly date: string;
  readonly changes: readonly NotifiedChange[];
  /** Changes beyond those listed, which are the worst ones; absent when all are listed. */
  readonly omitted?: TransitionCounts | undefined;
  /** Open findings of the target after this scan, without notes. */
  readonly open: Readonly<Record<Severity, number>>;
  /** How many facts the scan could not find out. */
  readonly gaps: number;
  /** `opened`: of a target's first scan, and lists the worst of it. `resolved`: all that such a summary told is over. */
  readonly firstScan?: 'opened' | 'resolved';
  /** Page with the details, where one is configured (`notify.link`). */
  readonly link?: string;
  /** True for `lockhound webhook test`: nothing happened, somebody looks whether it arrives. */
  readonly test?: boolean;
}

export type NotificationMode = 'digest' | 'change' | 'periodic';

/** The result of `gather-digest`; `null` when nothing waited. */
export interface GatheredDigest {
  readonly notification: Notification | null;
}

/** The changes of one scan that wait for a periodic digest. Complete in itself: the scan's outcome may expire meanwhile. */
export interface DigestEntry {
  readonly scan: string;
  readonly target: Target;
  /** `requestedAt` of the scan. */
  readonly date: string;
  readonly changes: readonly NotifiedChange[];
  readonly omitted?: Notification['omitted'];
  readonly open: Notification['open'];
  readonly gaps: number;
}
