import type { Target } from '../scan/target.ts';
import type { Notification, NotifiedChange } from './notification.ts';

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
