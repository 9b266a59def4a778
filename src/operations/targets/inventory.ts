import { LRUCache } from 'lru-cache';
import type { Store } from '../../compose/store.ts';
import type { ExpandedLockfile, ExpandedPackage } from '../../fleet/compact-lockfile.ts';
import { defined } from '../../model/defined.ts';
import type { TrackedFinding } from '../../model/scan/change.ts';
import { isAlert } from '../../model/scan/is-alert.ts';
import { SEVERITIES, type Severity } from '../../model/scan/severity.ts';
import { findPaths } from '../../policy/dependency-path.ts';
import { notFound, perContext, requireSeen, unknownTarget } from '../context.ts';
import type { Call, Operation } from '../operation.ts';
import { pageOf } from '../paging.ts';
import { searchWords } from '../parameters.ts';
import { Refusal } from '../refusal.ts';

/** Packages of the lockfiles that are remembered: some tens of megabytes. */
const REMEMBERED = 50_000;

/** The packages of one lockfile: its place in the list of those that fit, by the key of its inventory. */
interface InventoryPlace {
  readonly inventory: string | undefined;
  readonly at: number;
}

const remembered = perContext(rememberLockfiles);

/** The packages of one lockfile of a target, in pages. */
export const inventory: Operation<'lockhound.targets.inventory'> = async ({ params, principal }, context) => {
  const { target, lockfile } = params;
  await requireSeen(context, principal, target);
  const store = context.fleet.of(target);
  const state = await store.targets.read(target);
  if (state === undefined) throw await unknownTarget(context, principal, target);
  const files = (state.lockfiles ?? []).filter(({ path }) => lockfile === undefined || path === lockfile);
  const [file] = files;
  if (file === undefined) throw notFound(`target ${target} has no lockfile ${lockfile ?? ''}`.trim());
  if (files.length > 1) {
    const problem = `target ${target} has ${files.length} lockfiles: name one`;
    throw new Refusal(400, 'invalid-parameter', problem);
  }
  const { path, inventory, unread } = file;
  const page = pageOf<InventoryPlace>(context, { method: 'lockhound.targets.inventory', params, principal });
  if (inventory === undefined) {
    const problems = [{ kind: 'unread', message: unread?.message ?? 'no scan could read it' }] as const;
    return { path, format: '', packages: [], total: 0, groups: [], problems: [...problems] };
  }
  // The packages of another content have other places.
  if (page.after !== undefined && page.after.inventory !== inventory) {
    throw new Refusal(409, 'lockfile-changed', `${path} has changed: begin with the first page`);
  }
  const { format, problems, packages, groups, pathTo } = await remembered(context)(store, inventory);
  const fitting = fittingPackages(packages, params);
  const worst = worstAlerts(state.findings);
  const from = page.after?.at ?? page.skip;
  const end = from + page.size;
  const next = end < fitting.length ? { nextPageToken: page.tokenAfter({ inventory, at: end }) } : {};
  return {
    path,
    format,
    total: fitting.length,
    groups: [...groups],
    problems: from === 0 ? problems : [],
    packages: fitting.slice(from, end).map(({ locked, excluded }) => {
      const { integrity: _digests, source: _source, ...own } = locked;
      const severity = worst.get(locked.purl);
      const listed = { ...own, dependencyPath: [...pathTo(locked.id)], ...defined({ severity }) };
      return excluded === undefined ? listed : { ...listed, outcome: excluded[0], reason: excluded[1] };
    }),
    ...next,
  };
};

interface ReadLockfile extends ExpandedLockfile {
  /** Sorted. */
  readonly groups: readonly string[];
  readonly pathTo: (id: string) => readonly string[];
}

/** Returns a function that reads a lockfile of a shard by the key of its inventory, which is the digest of its content. */
function rememberLockfiles(): (store: Store, hash: string) => Promise<ReadLockfile> {
  const known = new LRUCache<string, ReadLockfile>({
    maxSize: REMEMBERED,
    sizeCalculation: ({ packages }) => packages.length + 1,
  });
  return async ({ inventories, prefix }, hash) => {
    // The content has ids of packages, which each shard gives out itself.
    const key = `${prefix} ${hash}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const file = await inventories.read(hash);
    const groups = [...new Set(file.packages.flatMap(({ locked }) => locked.groups))].sort();
    const found = { ...file, groups, pathTo: await findPaths(file.packages.map(({ locked }) => locked)) };
    known.set(key, found);
    return found;
  };
}

/** The worst open alert about each package, by its purl. */
function worstAlerts(findings: readonly TrackedFinding[]): ReadonlyMap<string, Severity> {
  const worst = new Map<string, Severity>();
  for (const { status, finding } of findings) {
    if (status !== 'open' || !isAlert(finding)) continue;
    const { purl } = finding.package;
    const known = worst.get(purl);
    if (known === undefined || SEVERITIES.indexOf(finding.severity) < SEVERITIES.indexOf(known))
      worst.set(purl, finding.severity);
  }
  return worst;
}

function fittingPackages(
  all: readonly ExpandedPackage[],
  { search, direct = false, group, around }: Call<'lockhound.targets.inventory'>['params'],
): readonly ExpandedPackage[] {
  const packages = around === undefined ? all : neighboursOf(all, around);
  const words = searchWords(search);
  if (words.length === 0 && !direct && group === undefined) return packages;
  return packages.filter(({ locked }) => {
    const text = `${locked.name}@${locked.version}\n${locked.purl}`.toLowerCase();
    return (
      words.every((word) => text.includes(word)) &&
      (!direct || locked.direct !== false) &&
      (group === undefined || locked.groups.includes(group))
    );
  });
}

/** A package, then those that depend on it and those that it depends on; none when the file does not have it. */
function neighboursOf(packages: readonly ExpandedPackage[], id: string): readonly ExpandedPackage[] {
  const one = packages.find(({ locked }) => locked.id === id);
  if (one === undefined) return [];
  const needed = new Set(one.locked.dependencies);
  const others = packages.filter(
    (other) =>
      other !== one && (needed.has(other.locked.id) || other.locked.dependencies?.includes(id) === true),
  );
  return [one, ...others];
}
