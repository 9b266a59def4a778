import type { LockedPackage, Problem } from './lockfile.ts';
import type { Resolution } from './resolution.ts';
import type { ScanCounts, ScanInput } from './scan-basis.ts';

/** One lockfile of a scan after resolving: every package with its outcome (promise 1). */
export interface ResolvedLockfile {
  readonly path: string;
  readonly sha256: string;
  readonly format: string;
  readonly packages: readonly ResolvedPackage[];
  readonly problems: readonly Problem[];
}

export interface ResolvedPackage extends LockedPackage {
  readonly resolution: Resolution;
}

/** Why a file was not read: a code, and a message that begins with its path. */
export interface UnreadError {
  readonly code: string;
  readonly message: string;
}

/** A lockfile that could not be read. The scan continues without it. */
export interface UnreadLockfile {
  /** Ends with `/` for a folder that could not be read. */
  readonly path: string;
  /** Of its content; unset when the producer could not read it. */
  readonly sha256?: string;
  readonly error: UnreadError;
}

/** The result of `ingest-lockfiles`: the packages of a target with their outcomes. */
export interface Inventory {
  readonly lockfiles: readonly ResolvedLockfile[];
  readonly unread: readonly UnreadLockfile[];
  /**
   * Set when the look-up service no longer knows more than half (`lost` of `compared`, or of a sample) of the packages that it
   * knew at the target's last scan. Packages that it does not know then have the outcome `failed`.
   */
  readonly forgotten?: { readonly lost: number; readonly compared: number };
  /** Absent when the result of the scan is never reused. */
  readonly input?: ScanInput;
  /** Set for a scan of unchanged lockfiles: it repeated the result of the last one, and read nothing. */
  readonly unchanged?: { readonly target: string; readonly counts: ScanCounts };
}
