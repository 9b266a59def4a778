import type { LockedPackage } from '../lockfile/lockfile.ts';

/**
 * The kinds of changes of a package, the most important first.
 *
 * - `integrity`: the same version has another digest. Registries never do that: an alarm.
 * - `moved`: it comes from another source: registry, repository, URL or folder.
 * - `install-script`: it runs a script when it is installed, and did not before. Only where the lockfile states it.
 * - `integrity-lost`: the same version has no digest any more, or none that can be compared.
 * - `licence`: its licences changed. Only where they were looked up.
 * - `downgraded`, `upgraded`: its version, by the order of its ecosystem; `changed`: a version or a commit without an order.
 * - `added`, `removed`: the package, or one of its versions.
 */
export const CHANGE_ASPECTS = [
  'integrity',
  'moved',
  'install-script',
  'integrity-lost',
  'licence',
  'downgraded',
  'added',
  'changed',
  'upgraded',
  'removed',
] as const;
export type ChangeAspect = (typeof CHANGE_ASPECTS)[number];

/** A package that differs between two states of a lockfile. */
export interface PackageChange {
  readonly ecosystem: string;
  readonly name: string;
  /** At least one, in the order of `CHANGE_ASPECTS`. */
  readonly aspects: readonly ChangeAspect[];
  /** The package before; absent for an added one. */
  readonly before?: LockedPackage;
  /** The package after; absent for a removed one. */
  readonly after?: LockedPackage;
  /** SPDX expressions, where they were looked up and are known. */
  readonly licences?: { readonly before?: readonly string[]; readonly after?: readonly string[] };
}

/** A lockfile of both states, or of one. */
export interface LockfileChanges {
  /** Relative to the folder of its state. */
  readonly path: string;
  readonly status: 'added' | 'removed' | 'changed' | 'unchanged';
  /** The most important first. */
  readonly changes: readonly PackageChange[];
  /** Number of packages that are the same. */
  readonly unchanged: number;
  /** Sentences that say what was not compared, and why. */
  readonly notes: readonly string[];
}

/** A part of a state that could not be read: the comparison does not include it. */
export interface ComparisonGap {
  readonly side: 'old' | 'new';
  /** File, with its line where there is one, or package. */
  readonly subject: string;
  readonly reason: string;
}

/** The result of `lockhound diff`. */
export interface LockfileComparison {
  /** The states as they were named. */
  readonly old: string;
  readonly new: string;
  readonly lockfiles: readonly LockfileChanges[];
  /** Licences that no package of the old state has, with the packages that bring them. Absent when none were looked up. */
  readonly newLicences?: readonly { readonly licence: string; readonly packages: readonly string[] }[];
  readonly gaps: readonly ComparisonGap[];
}

/** Numbers of packages by aspect. A package with several aspects counts in each. */
export function aspectCounts(
  lockfiles: readonly LockfileChanges[],
): Readonly<Partial<Record<ChangeAspect, number>>> {
  const counts: Partial<Record<ChangeAspect, number>> = {};
  for (const { changes } of lockfiles) {
    for (const { aspects } of changes) {
      for (const aspect of aspects) counts[aspect] = (counts[aspect] ?? 0) + 1;
    }
  }
  return counts;
}
