import type { TransitionCounts } from './change.ts';
import type { Severity } from './finding.ts';
import type { Outcome } from './resolution.ts';

/**
 * - `queued`: no lockfile is read yet.
 * - `running`: its lockfiles are read; advisories and graphs are fetched and judged.
 * - `concluded`: judged, and its changes are routed.
 * - `superseded`: judged after a scan that was requested later; changed nothing.
 * - `failed`: failed permanently.
 */
export type ScanState = (typeof SCAN_STATES)[number];

export const SCAN_STATES = ['queued', 'running', 'concluded', 'superseded', 'failed'] as const;

/** A scan in a few hundred bytes, for operators. Counts of zero may be absent. */
export interface ScanRecord {
  readonly scan: string;
  readonly target: string;
  readonly state: ScanState;
  /** RFC 3339: when the producer asked. */
  readonly requestedAt: string;
  /** Milliseconds since 1970: when its first job began to run, and when it was judged or failed. */
  readonly startedAt?: number;
  readonly endedAt?: number;
  readonly lockfiles?: number;
  readonly packages?: number;
  readonly outcomes?: Partial<Readonly<Record<Outcome, number>>>;
  /** Lockfiles that could not be read: their number, and the first of them. */
  readonly unread?: number;
  readonly unreadFiles?: { readonly path: string; readonly reason: string }[];
  /** Entries of lockfiles that could not be read. */
  readonly problems?: number;
  readonly gaps?: number;
  readonly findings?: Partial<Readonly<Record<Severity, number>>>;
  readonly changes?: Partial<TransitionCounts>;
  /** True when the scan could not see everything: a lockfile, an entry or a package. */
  readonly incomplete?: boolean;
  /** True when its lockfiles were those of the last scan, whose result it repeated. */
  readonly unchanged?: boolean;
  /** Deliveries of its changes, and how many of them were delivered or failed. */
  readonly deliveries?: number;
  readonly delivered?: number;
  readonly failedDeliveries?: number;
  /** Why it failed. */
  readonly reason?: string;
}

/** The fields that one job adds to the record of its scan; the store sets the times. */
export type ScanRecordUpdate = Omit<ScanRecord, 'startedAt' | 'endedAt' | 'delivered' | 'failedDeliveries'>;
