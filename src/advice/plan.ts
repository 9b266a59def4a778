import type { Fix, FixChange } from '../model/advice/fix.ts';
import type { FixPlan, FixStep, Staying } from '../model/advice/fix-plan.ts';
import { defined } from '../model/defined.ts';
import type { ResolvedPackage } from '../model/scan/inventory.ts';
import { schemeOf } from '../versions/scheme.ts';
import { commandsFor } from './commands.ts';
import { findLaterUpgrade, relocksAt, type WayQuestion } from './direct-upgrade.ts';
import type { AdviceFacts } from './facts.ts';
import { publicKey } from './holders.ts';
import type { Project } from './project.ts';
import type { Refuted, Search } from './proof.ts';

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

/** The questions that a plan asks about a direct dependency that a fix upgrades. */
interface Planning {
  readonly project: Project;
  readonly facts: AdviceFacts;
  readonly now: number;
}

/** The smallest set of changes that clears most findings of a lockfile. What goes to another major line is apart from the rest. */
export async function planFixes(
  advised: readonly AdvisedPackage[],
  project: Project,
  facts: AdviceFacts,
  now: number,
): Promise<FixPlan> {
  const planning = { project, facts, now };
  const [breaking, compatible] = partition(advised, ({ fix }) => fix.changes.some((one) => one.breaking));
  const first = await planPart(compatible, planning);
  const second = await planPart(breaking, planning);
  const kept: Open[] = [];
  const stays = [...first.stays, ...second.stays];
  for (const one of second.open) {
    const conflict = await conflictOf(one, compatible, planning);
    if (conflict === undefined) kept.push(one);
    else stays.push({ id: one.id, findings: one.findings, ...conflict });
  }
  return {
    path: project.path,
    ...stepsOf(first.open, project),
    breaking: stepsOf(kept, project),
    stays,
  };
}

function partition<One>(all: readonly One[], isFirst: (one: One) => boolean | undefined) {
  const { yes = [], no = [] } = Object.groupBy(all, (one) => (isFirst(one) === true ? 'yes' : 'no'));
  return [yes, no] as const;
}

function stepsOf(open: readonly Open[], project: Project): FixPlan['breaking'] {
  const ranked = rank(open);
  const steps = ranked.map(({ changes, clears }, index) => {
    // Some managers replace all overrides by those of the command.
    const before = ranked.slice(0, index).flatMap((step) => step.changes.filter(isOverride));
    const own = changes.some(isOverride) ? [...before, ...changes] : changes;
    return { changes, clears, commands: commandsFor(own, project) };
  });
  return {
    steps,
    commands: commandsFor(
      ranked.flatMap(({ changes }) => changes),
      project,
    ),
  };
}

function isOverride({ how }: FixChange): boolean {
  return how === 'override';
}

/** The changes of each package, with one version of each direct dependency for all; and what has none. */
async function planPart(advised: readonly AdvisedPackage[], planning: Planning) {
  const targets = await commonUpgrades(advised, planning);
  const [open, stays]: [Open[], Staying[]] = [[], []];
  for (const { affected, findings, fix } of advised) {
    const { id } = affected;
    const merged = await mergedChanges(affected, fix.changes, targets, planning);
    if (merged.state !== 'good') stays.push({ id, findings, ...conflictWith(merged) });
    else if (merged.found.length === 0) stays.push({ id, findings, ...stayOf(fix) });
    else open.push({ id, findings, changes: merged.found });
  }
  return { open, stays };
}

/** More often, the common version of a direct dependency is not raised. */
const MAX_ROUNDS = 4;

/** The version that all fixes need of each direct dependency: the highest one, raised while it brings an affected package again. */
async function commonUpgrades(
  advised: readonly AdvisedPackage[],
  planning: Planning,
): Promise<ReadonlyMap<string, FixChange>> {
  const targets = new Map(highestUpgrades(advised));
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    let isRaised = false;
    for (const { affected, fix } of advised) {
      for (const change of fix.changes) {
        const target = targets.get(keyOf(change)) ?? change;
        const question = questionOf(affected, change, target, planning);
        if (question === undefined || (await relocksAt(question.to, question)).state === 'good') continue;
        const later = await findLaterUpgrade(question.to, question);
        if (later.state !== 'good') continue;
        targets.set(keyOf(change), { ...target, to: later.found });
        isRaised = true;
      }
    }
    if (!isRaised) break;
  }
  return targets;
}

/** Whether another version of a direct dependency is good for an affected package, too; `undefined` where that is no question. */
function questionOf(
  affected: ResolvedPackage,
  change: FixChange,
  { to }: FixChange,
  planning: Planning,
): (WayQuestion & { readonly to: string }) | undefined {
  const direct = planning.project.dependents.find(`${change.name}@${change.from}`);
  if (change.how !== 'upgrade' || to === undefined || to === change.to) return undefined;
  return direct === undefined || direct.id === affected.id
    ? undefined
    : { ...planning, affected, direct, to };
}

/** The changes of several fixes as one, with the common versions of direct dependencies. */
async function mergedChanges(
  affected: ResolvedPackage,
  changes: readonly FixChange[],
  targets: ReadonlyMap<string, FixChange>,
  planning: Planning,
): Promise<Search<readonly FixChange[]>> {
  const merged: FixChange[] = [];
  for (const change of changes) {
    const target = targets.get(keyOf(change)) ?? change;
    merged.push(target);
    const question = questionOf(affected, change, target, planning);
    const others = question && (await relocksAt(question.to, question));
    if (others?.state === 'good') merged.push(...others.found);
    else if (others !== undefined) return others;
  }
  return { state: 'good', found: merged };
}

/** Why changes to another major line stay out: they bring what other changes clear. */
async function conflictOf(
  { changes }: Open,
  compatible: readonly AdvisedPackage[],
  planning: Planning,
): Promise<Omit<Staying, 'id' | 'findings'> | undefined> {
  const targets = new Map(changes.map((change) => [keyOf(change), change]));
  for (const { affected, fix } of compatible) {
    const merged = await mergedChanges(affected, fix.changes, targets, planning);
    if (merged.state !== 'good') return conflictWith(merged);
  }
  return undefined;
}

function conflictWith({ state, reason }: Refuted): Omit<Staying, 'id' | 'findings'> {
  const clause = 'another package needs a later version of the same direct dependency';
  return state === 'unknown'
    ? { kind: 'unknown', reason: `${clause}, and ${reason}` }
    : { kind: 'none', reason: `${clause}, which brings it again` };
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

function stayOf({ kind, version, reason, until }: Fix): Omit<Staying, 'id' | 'findings'> {
  return { kind, reason: reason ?? `${version} is good`, ...defined({ until }) };
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
  let forces = false;
  for (const change of missing.values()) forces ||= isOverride(change);
  return (forces ? 0 : FIRST) + findings / Math.max(missing.size, 1);
}
