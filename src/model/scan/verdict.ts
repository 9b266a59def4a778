import type { Change } from './change.ts';
import type { Finding, Severity } from './finding.ts';
import type { Inventory } from './inventory.ts';
import type { ScanCounts } from './scan-basis.ts';
import type { Target } from './target.ts';

/**
 * What a gap is about.
 *
 * - `lockfile`: a lockfile that was not read.
 * - `entry`: a part of one that was not read: packages may be missing.
 * - `detail`: a fact about its packages that it does not state, such as a version.
 * - `package`: a package that was not looked up.
 * - `coverage`: a package that the local data set does not cover.
 * - `service`: the look-up service does not know most of what it knew.
 * - `advisory`, `dependencies`: what could not be fetched or read.
 * - `rule`: a package that a rule failed on.
 * - `document`: a published description document.
 */
export const GAP_KINDS = [
  'lockfile',
  'entry',
  'detail',
  'package',
  'coverage',
  'service',
  'advisory',
  'dependencies',
  'rule',
  'document',
] as const;

/** A fact that the scan could not determine; the rest of the scan is valid (promise 3). */
export interface Gap {
  readonly kind: (typeof GAP_KINDS)[number];
  /** File (with line), purl, advisory id, version key or API. */
  readonly subject: string;
  readonly reason: string;
}

const HIDING: ReadonlySet<Gap['kind']> = new Set([
  'lockfile',
  'entry',
  'package',
  'coverage',
  'service',
  'rule',
  'document',
]);

/** Whether a scan without this gap might have more findings. */
export function mayHide({ kind }: Gap): boolean {
  return HIDING.has(kind);
}

/** Whether a scan with these gaps saw everything that decides which findings there are. */
export function isComplete(gaps: readonly Gap[]): boolean {
  return !gaps.some(mayHide);
}

/** The result of `judge-scan`. */
export interface Verdict {
  readonly scan: string;
  readonly target: Target;
  readonly requestedAt: string;
  readonly findings: readonly Finding[];
  readonly changes: readonly Change[];
  readonly gaps: readonly Gap[];
  /** False when a gap may hide a finding: the scan then resolves only findings that are provably gone. */
  readonly complete: boolean;
  /** True when the scan named only some of the target's lockfiles. */
  readonly partial: boolean;
  /** Open findings of the target after this scan. */
  readonly open: Readonly<Record<Severity, number>>;
  /** Number of open findings that the scan neither found nor resolved. */
  readonly kept: number;
  readonly counts: ScanCounts;
  /** True when a newer scan of the target was judged before this one: it then changes nothing. */
  readonly superseded: boolean;
  /** Indexes in `changes`, by route. */
  readonly routed?: Readonly<Record<string, readonly number[]>>;
}

/** All results of a scan: the packages of the lockfiles, and the verdict on them. */
export interface ScanReport {
  readonly inventory: Inventory;
  readonly verdict: Verdict;
}
