import type { LockedPackage } from '../../model/lockfile/lockfile.ts';
import type { VersionOrder } from './package-aspects.ts';

/** A package of both states, or of one. */
export interface PackagePair {
  readonly before?: LockedPackage;
  readonly after?: LockedPackage;
}

/**
 * Pairs the versions of one package in two states of a lockfile. The same version comes first, then versions of the same release
 * line (`1.x`), then the others from the newest on. What is left was added or removed.
 */
export function matchPackages(
  before: readonly LockedPackage[],
  after: readonly LockedPackage[],
  order: VersionOrder,
): readonly PackagePair[] {
  const pairs: PackagePair[] = [];
  let left = [...before];
  let right = [...after];
  for (const keyOf of KEYS) {
    if (left.length === 0 || right.length === 0) break;
    const waiting = Map.groupBy(sorted(left, order), keyOf);
    const unpaired: LockedPackage[] = [];
    for (const one of sorted(right, order)) {
      const found = waiting.get(keyOf(one))?.pop();
      if (found === undefined) unpaired.push(one);
      else pairs.push({ before: found, after: one });
    }
    left = [...waiting.values()].flat();
    right = unpaired;
  }
  return [
    ...pairs,
    ...left.map((one): PackagePair => ({ before: one })),
    ...right.map((one): PackagePair => ({ after: one })),
  ];
}

const KEYS: readonly ((locked: LockedPackage) => string)[] = [
  ({ id }) => id,
  ({ version }) => version,
  ({ version }) => /\d+/.exec(version)?.[0] ?? version,
  () => '',
];

/** The oldest last: the list is used up from its end, and the newest are paired first. */
function sorted(packages: readonly LockedPackage[], order: VersionOrder): LockedPackage[] {
  if (packages.length < 2) return [...packages];
  return packages.toSorted(
    (left, right) =>
      order(left.ecosystem, left.version, right.version) || (left.version < right.version ? -1 : 1),
  );
}
