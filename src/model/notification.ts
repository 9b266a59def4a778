import type { Change } from './change.ts';
import type { Severity } from './finding.ts';
import type { Target } from './target.ts';

/** The changes of one scan for one webhook: the unit of delivery. */
export interface Notification {
  /** Stable over retries: receivers drop repeats by it. */
  readonly id: string;
  /** Name of the route it goes by; `default` where none are configured. */
  readonly route: string;
  readonly scan: string;
  readonly target: Target;
  /** `requestedAt` of the scan. */
  readonly date: string;
  readonly changes: readonly Change[];
  /** Open findings of the target after this scan. */
  readonly open: Readonly<Record<Severity, number>>;
  /** How many facts the scan could not find out. */
  readonly gaps: number;
  /** True for `lockhound webhook test`: nothing happened, somebody looks whether it arrives. */
  readonly test?: boolean;
}

/** One attempt to hand a notification to its receiver. Holds no secret. */
export interface DeliveryAttempt {
  readonly at: string;
  readonly durationMs: number;
  readonly status?: number;
  readonly error?: string;
  /** First KiB of the answer. */
  readonly answer?: string;
}

/** What came of a delivery. */
export interface DeliveryReceipt {
  readonly id: string;
  readonly webhook: string;
  readonly status: number;
  readonly answer: string;
}
