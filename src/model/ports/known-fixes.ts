import type { KnownFix } from '../advice/known-fix.ts';
import type { VersionKey } from '../lockfile/version-key.ts';

/** A package version with findings, and the direct dependencies that bring it. */
export interface FixQuestion {
  readonly key: VersionKey;
  readonly directs: readonly VersionKey[];
}

/** Known fixes, for the whole fleet. */
export interface KnownFixes {
  /** Reads in the order of the keys; `undefined` for a version that was not asked about lately. */
  read(keys: readonly VersionKey[]): Promise<readonly (KnownFix | undefined)[]>;
  /**
   * The questions that no other scan has asked lately; from now on this one has. Scans of one process that begin together have most
   * questions in common. Processes do not know of one another's questions.
   */
  unasked(scan: string, questions: readonly FixQuestion[]): readonly FixQuestion[];
  /**
   * Finds out and stores what is not known of one version. Throws a coded error when the service does not answer.
   * `now`: ms since 1970.
   */
  learn(question: FixQuestion, now: number, signal: AbortSignal): Promise<void>;
}
