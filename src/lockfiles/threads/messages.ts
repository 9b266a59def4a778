import type { LockedPackage, Lockfile } from '../../model/scan/lockfile.ts';
import type { LockfileErrorCode } from '../errors.ts';
import type { CompleteRequest } from '../read.ts';

/** What the main thread sends: a file to read, then `next` for each further part of what was read. */
export type ToThread = { readonly read: CompleteRequest } | 'next';

/** What a thread answers. Parts are small: the receiver does other work between two of them. */
export type FromThread =
  /** Everything but the packages, and how many of these follow. */
  | { readonly lockfile: Omit<Lockfile, 'packages'>; readonly count: number }
  /** The next packages, as JSON, which is half the work of a structured clone. */
  | { readonly packages: string }
  | { readonly error: { readonly code: LockfileErrorCode; readonly message: string } }
  /** The reader itself failed: its stack. */
  | { readonly fault: string };

/** Some milliseconds to take apart. */
export const PACKAGES_A_PART = 1_000;

export function packagesOf(part: string): readonly LockedPackage[] {
  // Written by a thread of ours: `undefined` members are absent.
  return JSON.parse(part) as readonly LockedPackage[];
}
