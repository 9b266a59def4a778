import type { ExpandedLockfile } from '../fleet/compact-lockfile.ts';
import { identityOf } from '../fleet/identity.ts';
import { CodedError } from '../model/errors.ts';
import type { LockedPackage } from '../model/lockfile/lockfile.ts';
import type { Facts } from '../model/ports/shared-state.ts';
import type { Target, TargetState } from '../model/scan/change.ts';
import type { Finding } from '../model/scan/finding.ts';
import type { Gap } from '../model/scan/gap.ts';
import type { Inventory, ResolvedLockfile, VersionRecordSummary } from '../model/scan/inventory.ts';
import type { Policy } from '../model/scan/policy.ts';
import type { Inspection } from '../model/signal/inspection.ts';
import { inSlices } from '../model/yielding.ts';
import { judge } from '../policy/judge.ts';
import type { PathFinder } from '../policy/located-packages.ts';
import { policyFor } from '../policy/policy-for.ts';
import type { FormerLicenses } from '../policy/rules/license-changed.ts';
import { formerLicensesOf, licenseChanged, licensesText } from '../policy/rules/license-changed.ts';
import { staleExceptions } from '../policy/rules/stale-exception.ts';
import { SIGNAL_RULES, suspicious } from '../policy/rules/suspicious.ts';
import { type StillOpen, stillOpenAfter, type Unjudged } from '../policy/still-open.ts';
import type { ScanAdvisories } from './advisories.ts';
import { downgradesOf } from './fixed-versions.ts';
import { inventoryGaps, ruleGap, signalGaps } from './gaps.ts';
import type { ScanGraphs } from './graphs.ts';

/** An inventory, and everything by which it is judged. */
interface JudgedInventory {
  readonly target: Target;
  readonly inventory: Inventory;
  /** Whether the inventory has only some of the lockfiles of the target. */
  readonly partial: boolean;
  readonly advisories: ScanAdvisories;
  readonly graphs: ScanGraphs;
  /** See `RuleFacts`. */
  readonly pathTo?: PathFinder | undefined;
  /** The inspections of the packages, by purl. */
  readonly inspections: ReadonlyMap<string, Inspection>;
  /** The state of the target before; `undefined` for a new target. */
  readonly previous: TargetState | undefined;
  readonly policy: Policy;
  /** In ms since 1970. */
  readonly judgedAt: number;
  /** The packages of the fleet; absent for a scan without a fleet. */
  readonly fleet?: FleetPackages;
}

/** The findings of the rules, and the gaps. */
export interface Judgement {
  readonly findings: readonly Finding[];
  readonly gaps: readonly Gap[];
  readonly stillOpen: StillOpen;
}

/** Judges an inventory by all rules. */
export async function judgeInventory(judged: JudgedInventory): Promise<Judgement> {
  const { target, inventory, partial, advisories, graphs, inspections, previous, policy } = judged;
  const { findings, unjudged } = await judge({
    target,
    inventory,
    advisories: advisories.byId,
    graphs: graphs.byKey,
    policy,
    pathTo: judged.pathTo,
    inspections,
    downgrades: await downgradesOf(previous?.fixed ?? [], inventory),
    formerLicenses: await formerLicenses(judged),
  });
  const stale = partial
    ? undefined
    : staleExceptions({
        ...{ target: target.id, inventory, findings },
        ...{ policy: policyFor(policy, target), now: judged.judgedAt },
      });
  return {
    findings: [...findings, ...(stale?.findings ?? [])],
    gaps: [
      ...(await inventoryGaps(inventory)),
      ...advisories.gaps,
      ...graphs.gaps,
      ...unjudged.map(ruleGap),
      ...signalGaps(inspections),
    ],
    stillOpen: stillOpenAfter(inventory, {
      partial,
      unjudged: [...unjudged, ...uninspected(judged)],
      exceptions: stale?.unsure,
    }),
  };
}

/** The open findings about packages that are looked up, and of which no inspection is known any more: nothing resolves them. */
function uninspected(judged: JudgedInventory): readonly Unjudged[] {
  const { inventory, previous, inspections, policy, target } = judged;
  const { rules } = policyFor(policy, target);
  const isActive = (name: string) =>
    [suspicious, ...SIGNAL_RULES].some(
      (one) => one.name === name && (rules[name]?.level ?? one.level) !== 'off',
    );
  const open = (previous?.findings ?? []).flatMap(({ status, finding }) =>
    status === 'open' && isActive(finding.rule) ? [{ rule: finding.rule, purl: finding.package.purl }] : [],
  );
  if (open.length === 0) return [];
  const lockedNow = inventory.lockfiles.flatMap(({ packages }) => packages);
  const lookedUp = new Set(lockedNow.flatMap(({ purl, resolution }) => (resolution.record ? [purl] : [])));
  return open
    .filter(({ purl }) => lookedUp.has(purl) && !inspections.has(purl))
    .map((one) => ({ ...one, reason: 'its inspection is not known' }));
}

/** The facts of the fleet about the lockfiles that a scan replaces. */
interface FleetPackages {
  /** A lockfile by the key of its inventory. Throws a coded error (`state-corrupt`) when it is damaged or absent. */
  inventory(hash: string): Promise<ExpandedLockfile>;
  readonly versions: Pick<Facts<VersionRecordSummary>, 'read'>;
}

interface JudgedTarget extends Pick<JudgedInventory, 'previous' | 'target' | 'policy' | 'fleet'> {
  readonly inventory: Pick<Inventory, 'lockfiles'>;
}

/** A package that replaces another version of a lockfile. */
interface Replacement {
  readonly purl: string;
  readonly before: Pick<LockedPackage, 'ecosystem' | 'name' | 'version'>;
}

/**
 * By purl, the licences of the version that the target locked before: of its open findings, and of the versions that this scan
 * replaces. Nothing is read where the rule is off for the target. Licences that the fleet does not know are left out.
 */
export async function formerLicenses({
  previous,
  inventory: { lockfiles },
  target,
  policy,
  fleet,
}: JudgedTarget): Promise<ReadonlyMap<string, FormerLicenses>> {
  const found = new Map<string, FormerLicenses>();
  const { name, level } = licenseChanged;
  if (previous === undefined || (policyFor(policy, target).rules[name]?.level ?? level) === 'off')
    return found;
  for (const { finding, status } of previous.findings) {
    if (status !== 'open' || finding.rule !== name || finding.issue === undefined) continue;
    found.set(finding.package.purl, formerLicensesOf(finding.issue));
  }
  if (fleet === undefined) return found;
  const replaced: Replacement[] = [];
  for (const lockfile of lockfiles) {
    const before = previous.lockfiles?.find(({ path }) => path === lockfile.path);
    if (before?.inventory === undefined || before.sha256 === lockfile.sha256) continue;
    replaced.push(...(await replacements(await storedPackages(before.inventory, fleet), lockfile.packages)));
  }
  const known = await fleet.versions.read(replaced.map(({ before }) => identityOf(before)));
  for (const [index, { purl, before }] of replaced.entries()) {
    const answer = known[index];
    const stated = answer !== undefined && 'record' in answer ? answer.record.licenses : [];
    if (stated.length > 0) found.set(purl, { version: before.version, text: licensesText(stated) });
  }
  return found;
}

/** Empty for an inventory that is damaged: the scan that replaces it must not fail because of it. */
async function storedPackages(inventory: string, fleet: FleetPackages): Promise<readonly LockedPackage[]> {
  try {
    return (await fleet.inventory(inventory)).packages.map(({ locked }) => locked);
  } catch (error) {
    if (!(error instanceof CodedError) || error.code !== 'state-corrupt') throw error;
    return [];
  }
}

/** Packages that are new in a lockfile, with a version of the same name that it no longer has. */
async function replacements(
  old: readonly LockedPackage[],
  now: ResolvedLockfile['packages'],
): Promise<readonly Replacement[]> {
  const before = new Set(old.map(({ purl }) => purl));
  const after = new Set(now.map(({ purl }) => purl));
  const gone = new Map<string, LockedPackage>();
  for (const one of old) if (!after.has(one.purl)) gone.set(subjectOf(one), one);
  const replaced = new Map<string, Replacement>();
  for await (const slice of inSlices(now)) {
    for (const one of slice) {
      const former = gone.get(subjectOf(one));
      if (former !== undefined && !before.has(one.purl))
        replaced.set(one.purl, { purl: one.purl, before: former });
    }
  }
  return [...replaced.values()];
}

function subjectOf({ ecosystem, name }: Pick<LockedPackage, 'ecosystem' | 'name'>): string {
  return `${ecosystem}:${name}`;
}
