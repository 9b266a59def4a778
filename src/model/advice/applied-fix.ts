import type { FixChange } from './fix.ts';

/** The result of applying the plan of one lockfile. */
export interface AppliedPlan {
  readonly path: string;
  /** Why the lockfile stays as it was; absent where the plan does what it says. */
  readonly reason?: string;
  /** The changes that were not made, with `reason`; none for those of exceptions. */
  readonly changes?: readonly FixChange[];
  /** The files that its commands changed, below the root of the repository. */
  readonly files?: readonly string[];
  /** Exceptions that were removed. */
  readonly removed?: number;
  /** The advisories that affect none of its packages any more. */
  readonly advisories?: readonly string[];
}

/** The result of applying the plans of a scan. */
export interface AppliedFix {
  readonly plans: readonly AppliedPlan[];
  /** The files that were written or committed; absent: none. */
  readonly written?: readonly string[];
  /** The new branch, and its commit with the message. */
  readonly branch?: string;
  readonly commit?: string;
  readonly message?: string;
  /** The last lines of the check that failed; nothing was written then. */
  readonly failedCheck?: string;
  /** The files of an earlier fix that was killed while it wrote, which are as they were again. Nothing else was done. */
  readonly restored?: readonly string[];
}
