import type { Outcome } from '../scan/outcome.ts';

/** A package version in a lockfile of a target. */
export interface HeldPackage {
  readonly target: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Path of the lockfile. */
  readonly lockfile: string;
  readonly line?: number;
  readonly ecosystem: string;
  readonly name: string;
  /** As the lockfile states it. */
  readonly version: string;
  readonly purl: string;
  /** Whether the target requires the package itself; absent when the lockfile does not state it. */
  readonly direct?: boolean;
  readonly groups: readonly string[];
  /** Packages from a direct dependency down to the package itself; empty when no path is known. */
  readonly dependencyPath: readonly string[];
  /** The outcome of a package that is not looked up: `private` or `unsupported`. `reason` says why. */
  readonly outcome?: Outcome;
  readonly reason?: string;
}
