import { defined } from '../../model/defined.ts';
import type { LockedPackage } from '../../model/lockfile/lockfile.ts';
import {
  CHANGE_ASPECTS,
  type LockfileChanges,
  type LockfileComparison,
  type PackageChange,
} from '../../model/review/package-change.ts';

/** SPDX expressions by purl; absent for a package whose licences are not known. */
export type LicencesByPurl = ReadonlyMap<string, readonly string[]>;

/** Adds the licences of changed packages to a comparison, and those that no package of the old state has. */
export function withLicences(
  comparison: LockfileComparison,
  { old, current }: { readonly old: readonly LockedPackage[]; readonly current: readonly LockedPackage[] },
  licences: LicencesByPurl,
): LockfileComparison {
  const before = new Set(old.flatMap(({ purl }) => licences.get(purl) ?? []));
  const brought = new Map<string, Set<string>>();
  for (const { purl, name, version } of current) {
    for (const licence of licences.get(purl) ?? []) {
      if (before.has(licence)) continue;
      brought.set(licence, (brought.get(licence) ?? new Set()).add(`${name}@${version}`));
    }
  }
  return {
    ...comparison,
    lockfiles: comparison.lockfiles.map(
      (file): LockfileChanges => ({
        ...file,
        changes: file.changes.map((change) => withOwnLicences(change, licences)),
      }),
    ),
    newLicences: [...brought]
      .map(([licence, packages]) => ({ licence, packages: [...packages].sort() }))
      .sort((left, right) => (left.licence < right.licence ? -1 : 1)),
  };
}

function withOwnLicences(change: PackageChange, licences: LicencesByPurl): PackageChange {
  const [before, after] = [change.before, change.after].map((one) => one && licences.get(one.purl));
  if (before === undefined && after === undefined) return change;
  const isOther = before !== undefined && after !== undefined && textOf(before) !== textOf(after);
  const aspects = isOther ? [...change.aspects, 'licence' as const] : change.aspects;
  return {
    ...change,
    aspects: aspects.toSorted((left, right) => CHANGE_ASPECTS.indexOf(left) - CHANGE_ASPECTS.indexOf(right)),
    licences: { ...defined({ before, after }) },
  };
}

function textOf(licences: readonly string[]): string {
  return [...licences].sort().join(', ');
}
