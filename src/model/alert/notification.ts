import type { Change, TransitionCounts } from '../scan/change.ts';
import type { Severity } from '../scan/finding.ts';
import type { Target } from '../scan/target.ts';

/** A change in a notification: a digest over several targets names the target of each. */
export interface NotifiedChange extends Change {
  /** Id of the target, where it differs from that of the notification. */
  readonly target?: string;
}

/** The changes that are sent to the receiver of one route together: the unit of delivery. */
export interface Notification {
  /** Stable over retries: receivers drop repeats by it. */
  readonly id: string;
  /** Name of its route; `default` where no routes are configured. */
  readonly route: string;
  /**
   * `digest`: the changes of one scan. `change`: one of them. `periodic`: those of many scans, collected over an
   * interval.
   */
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
  /** Number of facts that the scan could not determine. */
  readonly gaps: number;
  /** `opened`: summary of a target's first scan, with its worst findings. `resolved`: all findings of that summary are resolved. */
  readonly firstScan?: 'opened' | 'resolved';
  /** Page with the details, where one is configured (`notify.link`). */
  readonly link?: string;
  /** True for `lockhound webhook test`: it reports no change of a target. */
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

/** Orders digest entries and deliveries by the date of their scan, then by its id. */
export function compareScans(
  left: { readonly date: string; readonly scan: string },
  right: { readonly date: string; readonly scan: string },
): number {
  return Date.parse(left.date) - Date.parse(right.date) || left.scan.localeCompare(right.scan);
}
