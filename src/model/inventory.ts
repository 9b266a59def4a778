import type { LockedPackage, Problem } from './lockfile.ts';
import type { Resolution } from './resolution.ts';

/** One lockfile of a scan after resolving: every package with its outcome (promise 1). */
export interface LockfileInventory {
  readonly path: string;
  readonly sha256: string;
  readonly format: string;
  readonly packages: readonly ResolvedPackage[];
  readonly problems: readonly Problem[];
}

export interface ResolvedPackage extends LockedPackage {
  readonly resolution: Resolution;
}

/** A lockfile that could not be read at all. The rest of the scan goes on without it. */
export interface UnreadLockfile {
  readonly path: string;
  readonly sha256: string;
  readonly error: { readonly code: string; readonly message: string };
}

/** What `ingest-lockfiles` finds out. */
export interface Inventory {
  readonly lockfiles: readonly LockfileInventory[];
  readonly unread: readonly UnreadLockfile[];
}
