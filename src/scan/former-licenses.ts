import type { ExpandedLockfile } from '../fleet/compact-lockfile.ts';
import { identityOf } from '../fleet/identity.ts';
import { CodedError } from '../model/errors.ts';
import type { LockedPackage } from '../model/lockfile/lockfile.ts';
import type { Facts } from '../model/ports/facts.ts';
import type { TargetState } from '../model/scan/change.ts';
import type { Inventory, ResolvedLockfile } from '../model/scan/inventory.ts';
import type { Policy } from '../model/scan/policy.ts';
import type { VersionRecordSummary } from '../model/scan/resolution.ts';
import type { Target } from '../model/scan/target.ts';
import { inSlices } from '../model/yielding.ts';
import { policyFor } from '../policy/policy-for.ts';
import {
  type FormerLicenses,
  formerLicensesOf,
  licenseChanged,
  licensesText,
} from '../policy/rules/license-changed.ts';

/** What the fleet knows of the lockfiles that a scan replaces. */
export interface FleetPackages {
  /** A lockfile by the key of its inventory. Throws a coded error (`state-corrupt`) when it is damaged or absent. */
  inventory(hash: string): Promise<ExpandedLockfile>;
  readonly versions: Pick<Facts<VersionRecordSummary>, 'read'>;
}

interface JudgedTarget {
  readonly previous: TargetState | undefined;
  readonly inventory: Pick<Inventory, 'lockfiles'>;
  readonly target: Target;
  readonly policy: Policy;
  /** Absent for a scan without a fleet. */
  readonly fleet?: FleetPackages;
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
