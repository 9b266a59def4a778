import { isApiSystem, systemOf } from '../model/lockfile/ecosystem.ts';
import { ADVISORIES_ALONE } from '../model/losses/statements.ts';
import type { Gap, Lacking } from '../model/scan/gap.ts';
import type { Inventory, ResolvedPackage } from '../model/scan/inventory.ts';
import type { Inspection } from '../model/signal/inspection.ts';
import { inSlices } from '../model/yielding.ts';
import type { Unjudged } from '../policy/still-open.ts';

/** Package versions that a gap names. */
const MAX_SHOWN = 3;

/** The gap of a package that a rule could not judge. */
export function ruleGap({ rule, purl, reason }: Unjudged): Gap {
  return { kind: 'rule', subject: purl, reason: `rule ${rule} ${reason}` };
}

/** The gaps of an inventory: its lockfiles do not say something, or something was not looked up. */
export async function inventoryGaps(inventory: Inventory): Promise<readonly Gap[]> {
  const gaps: Gap[] = inventory.unread.map(({ path, error }) => ({
    kind: 'lockfile',
    subject: path,
    reason: error.message,
  }));
  for (const { path, packages, problems } of inventory.lockfiles) {
    for (const { kind, line, message } of problems) {
      const subject = line === undefined ? path : `${path}:${line}`;
      gaps.push({ kind: kind === 'unclear' ? 'detail' : 'entry', subject, reason: message });
    }
    for await (const slice of inSlices(packages)) {
      for (const locked of slice) {
        const gap = packageGap(locked);
        if (gap !== undefined) gaps.push(gap);
      }
    }
  }
  return [...gaps, ...(await sourceGaps(inventory))];
}

/**
 * The gaps of what is known of package versions: the service no longer states what it stated before, imported advisories are all that is known, or
 * no source has packages of their ecosystem.
 */
async function sourceGaps({ lockfiles, outdated }: Inventory): Promise<readonly Gap[]> {
  const doubts = new Map<string, Set<string>>();
  const unindexed = new Map<string, number>();
  let byAdvisoriesOnly = 0;
  for (const { packages } of lockfiles) {
    for await (const slice of inSlices(packages)) {
      for (const one of slice) {
        const { purl, resolution } = one;
        const { outcome, reason, record } = resolution;
        if (record?.advisoriesOnly === true) byAdvisoriesOnly += 1;
        if (outcome === 'unsupported') countUnindexed(unindexed, one);
        if (outcome === 'resolved' && reason !== undefined && reason !== ADVISORIES_ALONE)
          doubts.set(reason, (doubts.get(reason) ?? new Set()).add(purl));
      }
    }
  }
  return [
    ...outdatedGap(outdated),
    ...Array.from(doubts, doubtGap),
    ...advisoriesOnlyGap(byAdvisoriesOnly),
    ...Array.from(unindexed, unindexedGap),
  ];
}

function outdatedGap(why: string | undefined): readonly Gap[] {
  if (why === undefined) return [];
  const reason = `those that were read before are used, so later ones are not known: ${why}`;
  return [{ kind: 'service', subject: 'imported advisories', reason }];
}

function advisoriesOnlyGap(packages: number): readonly Gap[] {
  if (packages === 0) return [];
  const known = packages === 1 ? 'one package is known' : `${packages} packages are known`;
  const reason = `${known} by imported advisories alone: whether they exist, their dates, licences and deprecation are not known, and the rules about these do not apply`;
  return [{ kind: 'source', subject: 'package insights', reason }];
}

/** Counts a package that is not looked up, unless a source may have its ecosystem: then it is not of a registry. */
function countUnindexed(counts: Map<string, number>, { ecosystem, source }: ResolvedPackage): void {
  const system = systemOf(ecosystem);
  if (isApiSystem(system) || (system !== undefined && source?.kind !== 'registry')) return;
  counts.set(ecosystem, (counts.get(ecosystem) ?? 0) + 1);
}

function unindexedGap([ecosystem, packages]: readonly [ecosystem: string, packages: number]): Gap {
  const reason = `${packages} of its packages: no source has this ecosystem, so their advisories are not known`;
  return { kind: 'source', subject: ecosystem, reason };
}

function doubtGap([reason, purls]: readonly [reason: string, purls: ReadonlySet<string>]): Gap {
  const shown = [...purls].slice(0, MAX_SHOWN).join(', ');
  const versions = purls.size > MAX_SHOWN ? `${purls.size} package versions, among them ${shown}` : shown;
  return {
    kind: 'service',
    subject: 'package insights',
    reason: `${reason} (${versions}): it may have lost data, so what it stated before stays`,
  };
}

function packageGap({ purl, resolution }: ResolvedPackage): Gap | undefined {
  const { outcome, reason = 'unknown reason' } = resolution;
  if (outcome === 'failed') return { kind: 'package', subject: purl, reason };
  return outcome === 'uncovered' ? { kind: 'coverage', subject: purl, reason } : undefined;
}

/** The gap of a system of which the service does not state what every index states. */
export function lackingGap({ system, what, versions }: Lacking): Gap {
  const shown = versions.slice(0, MAX_SHOWN).join(', ');
  const more = versions.length > MAX_SHOWN ? ` and ${versions.length - MAX_SHOWN} other versions` : '';
  const reason =
    what === 'advisories'
      ? `the index states no advisory of ${shown}${more} (${system}), although there are some: it seems to have lost advisories, so there may be more findings`
      : `the index does not have ${shown}${more} (${system}), although the registry does: it seems to have lost versions, so packages that it does not know may exist`;
  return { kind: 'service', subject: 'package insights', reason };
}

/** The facts that inspections could not find out, and why. */
export function signalGaps(inspections: ReadonlyMap<string, Inspection>): readonly Gap[] {
  return [...inspections].flatMap(([subject, { unknown }]) =>
    unknown.map(({ fact, reason }): Gap => ({ kind: 'signal', subject, reason: `${fact}: ${reason}` })),
  );
}
