import { expandLockfile, type NamedLockfile } from '../fleet/compact-lockfile.ts';
import type { Fleet } from '../fleet/fleet.ts';
import { identityOf, lockedPackageOf } from '../fleet/identity.ts';
import { linkedPackages } from '../fleet/linked-packages.ts';
import { isReadWhole } from '../model/lockfile/read-whole.ts';
import type { Insights } from '../model/ports/insights.ts';
import type { Inspections } from '../model/ports/shared-state.ts';
import type { TargetState } from '../model/scan/change.ts';
import type { Inventory, ResolvedLockfile } from '../model/scan/inventory.ts';
import type { Policy } from '../model/scan/policy.ts';
import { findPaths } from '../policy/dependency-path.ts';
import type { PathFinder } from '../policy/located-packages.ts';
import { resolveStored, unreadOf } from './known-facts.ts';

/** The packages of a target of which something may be found, and what a judgement needs to know of the others. */
export interface NotablePackages {
  readonly inventory: Inventory;
  /** Number of the others. They are resolved, and no rule finds anything in them. */
  readonly others: number;
  /** Paths through all packages. */
  readonly pathTo: PathFinder;
}

interface NotableParts {
  readonly fleet: Pick<Fleet, 'namedLockfile'>;
  readonly insights: Pick<Insights, 'isPlain' | 'resolve'>;
  readonly inspections: Pick<Inspections, 'read'>;
}

/**
 * The packages of the stored lockfiles of a target that a judgement has to look at: those that are not plain (`Insights.isPlain`), were
 * inspected, have a finding, or are roots of paths, which advice names. Judging them gives what judging all packages gives, in a small
 * part of the time. `undefined` where it may not: all packages have to be judged. `policy`: that for the target.
 */
export async function notablePackages(
  { lockfiles: files = [], findings, fixed = [] }: Pick<TargetState, 'lockfiles' | 'findings' | 'fixed'>,
  policy: Pick<Policy, 'licenses'>,
  { fleet: { namedLockfile }, insights, inspections }: NotableParts,
  signal: AbortSignal,
): Promise<NotablePackages | undefined> {
  // Licences, and versions that went back, are judged by what is not of one package alone.
  if (insights.isPlain === undefined || policy.licenses !== undefined || fixed.length > 0) return undefined;
  if (namedLockfile === undefined) return undefined;
  const suspects = new Set(findings.map(({ finding }) => identityOf(finding.package)));
  const lockfiles: ResolvedLockfile[] = [];
  const searches: ((id: string) => readonly string[])[] = [];
  let others = 0;
  for (const { path, sha256 = '', inventory } of files) {
    if (inventory === undefined) continue;
    const lockfile = await namedLockfile(inventory);
    const { rest, own } = lockfile;
    if (!isSuitable(lockfile)) return undefined;
    const [plain, inspected] = await Promise.all([
      insights.isPlain(own, lockedPackageOf),
      inspections.read(own),
    ]);
    const isRoot = rootsOf(lockfile);
    const isNotable = (index: number): boolean =>
      plain[index] !== true ||
      inspected[index] !== undefined ||
      suspects.has(own[index] ?? '') ||
      isRoot(index) ||
      rest.excluded[index] !== undefined ||
      // The identity is not what its file states.
      rest.spelled[index] !== undefined;
    const expanded = await expandLockfile(lockfile, isNotable);
    others += own.length - expanded.length;
    const packages = await resolveStored(expanded, insights, signal);
    lockfiles.push({ path, sha256, format: rest.format, problems: rest.problems, packages });
    const linked = linkedPackages(lockfile);
    searches.push(await findPaths(linked.packages, linked.edges));
  }
  return {
    inventory: { lockfiles, unread: unreadOf(files) },
    others,
    pathTo: (at, id) => searches[at]?.(id) ?? [],
  };
}

/** Whether a lockfile states all of its packages and edges. Otherwise which packages were read, and graphs of the service, decide. */
function isSuitable({ rest }: NamedLockfile): boolean {
  return isReadWhole(rest) && rest.dependencies.every((edges) => edges !== null);
}

/**
 * The test for packages at which paths begin: the direct dependencies, or else at packages that no other one depends on
 * (`policy/dependency-path.ts`).
 */
function rootsOf({ rest: { direct, dependencies } }: NamedLockfile): (index: number) => boolean {
  if (direct.includes('1')) return (index) => direct[index] === '1';
  const needed = new Set<number>();
  for (const [index, steps] of dependencies.entries())
    for (const step of steps ?? []) if (typeof step !== 'string') needed.add(index + step);
  return (index) => direct[index] !== '0' && !needed.has(index);
}
