import { systemOf } from '../model/lockfile/ecosystem.ts';
import type { Change, FixedVersion, TargetState } from '../model/scan/change.ts';
import type { Inventory } from '../model/scan/inventory.ts';
import { inSlices } from '../model/yielding.ts';
import { schemeOf } from '../versions/scheme.ts';

/** Fixes that a target remembers, the newest first. */
const MAX_FIXED = 200;
/** Lockfiles that one fix names. */
const MAX_PATHS = 20;
/** Rules whose findings a later version fixes. */
const FIXED_RULES = new Set(['vulnerability', 'suspicious', 'vanished']);

type Lockfiles = Pick<Inventory, 'lockfiles'>;
type Order = (left: string, right: string) => number;

/**
 * The versions that fixed findings of a target, with those of this scan: a finding is resolved, its version is gone, and a later one is
 * locked. Versions whose order is not known are left out.
 */
export async function fixedAfter(
  previous: TargetState | undefined,
  changes: readonly Change[],
  inventory: Lockfiles | undefined,
  at: string,
): Promise<Pick<TargetState, 'fixed'>> {
  const known = previous?.fixed ?? [];
  const resolved = changes.flatMap(({ transition, finding }) =>
    transition === 'resolved' && FIXED_RULES.has(finding.rule) ? [finding] : [],
  );
  const fixed = new Map<string, FixedVersion>();
  if (resolved.length > 0 && inventory !== undefined) {
    const names = new Set(resolved.map(({ package: one }) => subjectOf(one)));
    const locked = await versionsOf(inventory, names);
    for (const { package: one, advisory, rule, locations } of resolved) {
      const { ecosystem, name } = one;
      const paths = [...new Set(locations.map(({ path }) => path))].slice(0, MAX_PATHS);
      const found = fixOf(one, versionsIn(paths, locked.get(subjectOf(one))));
      if (found === undefined) continue;
      const { beside, fix } = found;
      const entry = { ecosystem, name, version: fix, issue: advisory?.id ?? rule, paths, beside, at };
      fixed.set(keyOf(entry), entry);
    }
  }
  const all = [...fixed.values(), ...known.filter((one) => !fixed.has(keyOf(one)))].slice(0, MAX_FIXED);
  return all.length === 0 ? {} : { fixed: all };
}

/** By purl, the fix below which a package went back: its lockfiles have no version as late any more. */
export async function downgradesOf(
  fixed: readonly FixedVersion[],
  inventory: Lockfiles,
): Promise<ReadonlyMap<string, FixedVersion>> {
  const found = new Map<string, FixedVersion>();
  if (fixed.length === 0) return found;
  const locked = await versionsOf(inventory, new Set(fixed.map(subjectOf)));
  for (const one of fixed) {
    const order = orderOf(one.ecosystem, one.version);
    if (order === undefined) continue;
    const beside = new Set(one.beside);
    const versions = versionsIn(one.paths, locked.get(subjectOf(one)));
    if (versions.some(({ version }) => order(version, one.version) >= 0)) continue;
    for (const { version, purl } of versions) {
      const before = found.get(purl);
      if (beside.has(version) || (before !== undefined && order(before.version, one.version) >= 0)) continue;
      found.set(purl, one);
    }
  }
  return found;
}

interface LockedVersion {
  readonly path: string;
  readonly version: string;
  readonly purl: string;
}

/** The lowest later version, unless the version is still locked; and the earlier ones. */
function fixOf(
  { ecosystem, version }: { readonly ecosystem: string; readonly version: string },
  locked: readonly LockedVersion[],
): { readonly fix: string; readonly beside: string[] } | undefined {
  const order = orderOf(ecosystem, version);
  const versions = [...new Set(locked.map((one) => one.version))];
  if (order === undefined || versions.includes(version)) return undefined;
  const sorted = versions.filter((one) => orderOf(ecosystem, one) !== undefined).sort(order);
  const fix = sorted.find((one) => order(one, version) > 0);
  return fix === undefined ? undefined : { fix, beside: sorted.slice(0, sorted.indexOf(fix)) };
}

/** The order of the versions of an ecosystem; versions that it does not know are the earliest. */
function orderOf(ecosystem: string, version: string): Order | undefined {
  const system = systemOf(ecosystem);
  if (system === undefined) return undefined;
  const scheme = schemeOf(system);
  if (!scheme.isValid(version)) return undefined;
  return (left, right) => {
    const [isLeft, isRight] = [scheme.isValid(left), scheme.isValid(right)];
    return isLeft && isRight ? scheme.compare(left, right) : Number(isLeft) - Number(isRight);
  };
}

/** The versions of packages in all lockfiles, by subject. */
async function versionsOf(
  { lockfiles }: Lockfiles,
  names: ReadonlySet<string>,
): Promise<ReadonlyMap<string, readonly LockedVersion[]>> {
  const found = new Map<string, LockedVersion[]>();
  for (const { path, packages } of lockfiles) {
    for await (const slice of inSlices(packages)) {
      for (const one of slice) {
        const subject = subjectOf(one);
        if (!names.has(subject)) continue;
        const versions = found.get(subject) ?? [];
        found.set(subject, versions);
        versions.push({ path, version: one.version, purl: one.purl });
      }
    }
  }
  return found;
}

function versionsIn(
  paths: readonly string[],
  versions: readonly LockedVersion[] = [],
): readonly LockedVersion[] {
  return versions.filter(({ path }) => paths.includes(path));
}

function subjectOf({ ecosystem, name }: { readonly ecosystem: string; readonly name: string }): string {
  return `${ecosystem}:${name}`;
}

function keyOf(one: FixedVersion): string {
  return `${subjectOf(one)} ${one.issue}`;
}
