import type { LockedPackage, Lockfile } from '../../model/lockfile/lockfile.ts';
import type { LockfileErrorCode } from '../errors.ts';
import type { LockfileRequest } from '../read-as.ts';

/** Requests to a thread: a file to read, then `next` for each part of its packages. */
export type ToThread = { readonly read: LockfileRequest } | 'next';

/** Answers of a thread. Parts are small, so that the receiver can do other work between them. */
export type FromThread =
  /** The result without its packages, and their number. */
  | { readonly lockfile: Omit<Lockfile, 'packages'>; readonly count: number }
  /** The next packages as JSON, which takes half the time of a structured clone. */
  | { readonly packages: string }
  | { readonly error: { readonly code: LockfileErrorCode; readonly message: string } }
  /** A bug in the reader: the error and its position. */
  | { readonly fault: string };

/** Parsing a part takes a few milliseconds. */
export const PACKAGES_A_PART = 1_000;

export function packagesOf(part: string): readonly LockedPackage[] {
  // Written by our own thread. `undefined` members are absent.
  return JSON.parse(part) as readonly LockedPackage[];
}
