import type { Severity } from './finding.ts';
import type { Outcome } from './resolution.ts';

/** The counts of a scan. Every locked package is in exactly one of `outcomes`. */
export interface ScanCounts {
  readonly lockfiles: number;
  readonly packages: number;
  readonly outcomes: Readonly<Record<Outcome, number>>;
  /** Findings that alert. */
  readonly severities: Readonly<Record<Severity, number>>;
  /** Findings that are notes. */
  readonly notes: number;
}

/** The input of a scan: its lockfiles with their companions, the labels of its target and the settings of the worker. */
export interface ScanInput {
  /** SHA-256 of all of them, hex. */
  readonly hash: string;
  /** When the packages were looked up; milliseconds since 1970. */
  readonly readAt: number;
}

/** What a target's state was judged from. A scan of the same input gives the same findings while its facts are fresh. */
export interface ScanBasis extends ScanInput {
  readonly counts: ScanCounts;
}
