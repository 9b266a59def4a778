import type { LockedPackage, Problem } from './lockfile.ts';
import type { Resolution } from './resolution.ts';

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

/** Why a file was not read: a code for programs, a line for people that begins with its path. */
export interface UnreadError {
  readonly code: string;
  readonly message: string;
}

/** A lockfile that could not be read at all. The rest of the scan goes on without it. */
export interface UnreadLockfile {
  /** With a `/` at its end: a folder, of which nothing was read. */
  readonly path: string;
  /** Of its content; unset when the producer could not read it. */
  readonly sha256?: string;
  readonly error: UnreadError;
}

/** What `ingest-lockfiles` finds out. */
export interface Inventory {
  readonly lockfiles: readonly ResolvedLockfile[];
  readonly unread: readonly UnreadLockfile[];
  /**
   * Set when the look-up service suddenly does not know more than half (`lost` of `compared`, or of a sample) of the packages
   * that it knew at the target's last scan. What it does not know then has the outcome `failed`.
   */
  readonly forgotten?: { readonly lost: number; readonly compared: number };
}
