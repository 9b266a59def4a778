import type { Fix, FixChange } from '../model/advice/fix.ts';
import type { FixPlan, FixStep, Staying } from '../model/advice/fix-plan.ts';
import type { ResolvedPackage } from '../model/scan/inventory.ts';
import { schemeOf } from '../versions/scheme.ts';
import { commandsFor } from './commands.ts';
import { relocksAt } from './direct-upgrade.ts';
import type { AdviceFacts } from './facts.ts';
import { publicKey } from './holders.ts';
import type { Project } from './project.ts';

/** A package with its fix and the number of its findings. */
export interface AdvisedPackage {
  readonly affected: ResolvedPackage;
  readonly findings: number;
  readonly fix: Fix;
}

interface Open {
  readonly id: string;
  readonly findings: number;
  readonly changes: readonly FixChange[];
}

/** The smallest set of changes that clears most findings of a lockfile. */
export async function planFixes(
  advised: readonly AdvisedPackage[],
  project: Project,
  facts: AdviceFacts,
  now: number,
): Promise<FixPlan> {
  const targets = highestUpgrades(advised);
  const [open, stays]: [Open[], Staying[]] = [[], []];
  for (const { affected, findings, fix } of advised) {
    const { id } = affected;
    const changes = await mergedChanges(affected, fix, targets, (version, direct) =>
      relocksAt(version, { direct, affected, project, facts, now }),
    );
    if (fix.changes.length > 0 && changes !== undefined) open.push({ id, findings, changes });
    else stays.push({ id, findings, ...stayOf(fix) });
  }
  const steps = rank(open).map(({ changes, clears }) => ({
    changes,
    clears,
    commands: commandsFor(changes, project),
  }));
  const all = steps.flatMap(({ changes }) => changes);
  return { path: project.path, steps, commands: commandsFor(all, project), stays };

  /** Like the changes of the fix, with the version that all fixes need of each direct dependency. */
  async function mergedChanges(
    affected: ResolvedPackage,
    { changes }: Fix,
    highest: ReadonlyMap<string, FixChange>,
    relocks: (version: string, direct: ResolvedPackage) => Promise<readonly FixChange[] | undefined>,
  ): Promise<readonly FixChange[] | undefined> {
    const merged: FixChange[] = [];
    for (const change of changes) {
      const target = highest.get(keyOf(change)) ?? change;
      merged.push(target);
      const direct = project.dependents.find(`${change.name}@${change.from}`);
      if (target.to === change.to || target.to === undefined || direct === undefined) continue;
      if (direct.id === affected.id) continue;
      const others = await relocks(target.to, direct);
      if (others === undefined) return undefined;
      merged.push(...others);
    }
    return merged;
  }
}

/** The highest version to which any fix upgrades each package. */
function highestUpgrades(advised: readonly AdvisedPackage[]): ReadonlyMap<string, FixChange> {
  const highest = new Map<string, FixChange>();
  for (const { affected, fix } of advised) {
    const system = publicKey(affected)?.system;
    if (system === undefined) continue;
    const { compare } = schemeOf(system);
    for (const change of fix.changes) {
      const known = highest.get(keyOf(change))?.to;
      if (known === undefined || compare(change.to ?? known, known) > 0) highest.set(keyOf(change), change);
    }
  }
  return highest;
}

function keyOf({ how, name, from }: FixChange): string {
  return `${how} ${name}@${from}`;
}

function stayOf({ kind, changes, version, reason, until }: Fix): Omit<Staying, 'id' | 'findings'> {
  const conflict =
    changes.length > 0
      ? 'another package needs a later version of the same direct dependency, which brings it again'
      : undefined;
  return {
    kind: conflict === undefined ? kind : 'none',
    reason: conflict ?? reason ?? `${version} is good`,
    ...(until === undefined ? {} : { until }),
  };
}

/** Packages that need the same changes. */
interface Group {
  readonly packages: readonly Open[];
  /** Changes that are not made yet, by key. */
  readonly missing: Map<string, FixChange>;
  readonly findings: number;
}

/**
 * Greedy: the changes that clear most findings for each change that is not made already. Packages that need the same changes
 * are cleared together; overrides come last.
 */
function rank(open: readonly Open[]): readonly Omit<FixStep, 'commands'>[] {
  const groups = new Set(groupsOf(open));
  const byKey = new Map<string, Group[]>();
  for (const group of groups) {
    for (const key of group.missing.keys()) byKey.set(key, [...(byKey.get(key) ?? []), group]);
  }
  const steps: Omit<FixStep, 'commands'>[] = [];
  while (groups.size > 0) {
    let best: Group | undefined;
    for (const group of groups) if (best === undefined || weightOf(group) > weightOf(best)) best = group;
    const made = new Map(best?.missing);
    const touched = new Set([...made.keys()].flatMap((key) => byKey.get(key) ?? []));
    const cleared: Open[] = [];
    for (const group of touched) {
      for (const key of made.keys()) group.missing.delete(key);
      if (group.missing.size === 0 && groups.delete(group)) cleared.push(...group.packages);
    }
    steps.push({
      changes: [...made.values()],
      clears: cleared.map(({ id, findings }) => ({ id, findings })),
    });
  }
  return steps;
}

function groupsOf(open: readonly Open[]): readonly Group[] {
  const byChanges = Map.groupBy(open, ({ changes }) => changes.map(keyOf).sort().join('\n'));
  return Array.from(byChanges.values(), (packages) => ({
    packages,
    missing: new Map(packages[0]?.changes.map((change) => [keyOf(change), change])),
    findings: packages.reduce((sum, one) => sum + one.findings, 0),
  }));
}

/** More than any number of findings, so that an override comes after everything else. */
const FIRST = 1_000_000_000;

function weightOf({ missing, findings }: Group): number {
  let isOverride = false;
  for (const { how } of missing.values()) isOverride ||= how === 'override';
  return (isOverride ? 0 : FIRST) + findings / Math.max(missing.size, 1);
}
