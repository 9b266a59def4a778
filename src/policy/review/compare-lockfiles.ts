import { canonicalName, systemOf } from '../../model/lockfile/ecosystem.ts';
import type { LockedPackage } from '../../model/lockfile/lockfile.ts';
import {
  CHANGE_ASPECTS,
  type LockfileChanges,
  type PackageChange,
} from '../../model/review/package-change.ts';
import { createYielder } from '../../model/yielding.ts';
import { type AspectOptions, aspectsOf, type VersionOrder } from './package-aspects.ts';

/** The differences between the packages of two states of a lockfile, the most important first. */
export async function compareLockfiles(
  before: readonly LockedPackage[],
  after: readonly LockedPackage[],
  options: AspectOptions,
): Promise<Pick<LockfileChanges, 'changes' | 'unchanged'>> {
  const yieldIfDue = createYielder();
  const [old, current] = [byName(before), byName(after)];
  const changes: PackageChange[] = [];
  let unchanged = 0;
  for (const name of new Set([...old.keys(), ...current.keys()])) {
    for (const pair of matchPackages(old.get(name) ?? [], current.get(name) ?? [], options.order)) {
      const change = changeOf(pair, options);
      if (change === undefined) unchanged += 1;
      else changes.push(change);
    }
    await yieldIfDue();
  }
  return { changes: changes.toSorted(compareChanges), unchanged };
}

/** The most important aspect first, then by name and version. */
export function compareChanges(left: PackageChange, right: PackageChange): number {
  return (
    rank(left) - rank(right) ||
    compareText(left.name, right.name) ||
    compareText(left.ecosystem, right.ecosystem) ||
    compareText(versionOf(left), versionOf(right))
  );
}

function changeOf({ before, after }: PackagePair, options: AspectOptions): PackageChange | undefined {
  if (before !== undefined && after !== undefined) {
    const aspects = aspectsOf(before, after, options);
    return aspects.length === 0 ? undefined : { ...identityOf(after), aspects, before, after };
  }
  if (after !== undefined) {
    const script = after.installScript === true ? (['install-script'] as const) : [];
    return { ...identityOf(after), aspects: [...script, 'added'], after };
  }
  return before === undefined ? undefined : { ...identityOf(before), aspects: ['removed'], before };
}

function identityOf({ ecosystem, name }: LockedPackage) {
  return { ecosystem, name };
}

function byName(packages: readonly LockedPackage[]): ReadonlyMap<string, readonly LockedPackage[]> {
  return Map.groupBy(packages, ({ ecosystem, name }) => {
    const system = systemOf(ecosystem);
    return `${ecosystem}\n${system === undefined ? name : canonicalName(name, system)}`;
  });
}

function rank({ aspects: [first = 'removed'] }: PackageChange): number {
  return CHANGE_ASPECTS.indexOf(first);
}

function versionOf({ before, after }: PackageChange): string {
  return (after ?? before)?.id ?? '';
}

function compareText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

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
