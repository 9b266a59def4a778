import type { ExpandedDependencies } from '../../model/lockfile/dependency-graph.ts';
import { formatVersionKey } from '../../model/lockfile/version-key.ts';
import type { CollectedAdvisories } from '../../model/scan/advisory.ts';
import type { TrackedFinding } from '../../model/scan/change.ts';
import type { Finding } from '../../model/scan/finding.ts';
import { type Gap, mayHide } from '../../model/scan/gap.ts';
import type { Inventory, ResolvedLockfile, ResolvedPackage } from '../../model/scan/inventory.ts';
import { isAlert, isNote } from '../../model/scan/is-alert.ts';
import type { Outcome } from '../../model/scan/outcome.ts';
import type { Severity } from '../../model/scan/severity.ts';
import type { Verdict } from '../../model/scan/verdict.ts';
import { createYielder, inSlices } from '../../model/yielding.ts';
import type { Unjudged } from '../../policy/still-open.ts';
import type { LogFacts } from '../job.ts';
import { referredAdvisories } from './referred-advisories.ts';

/** The counts of a scan. Every locked package is in exactly one of `outcomes`. */
export function countScan(inventory: Inventory, findings: readonly Finding[]): Verdict['counts'] {
  const { lockfiles } = inventory;
  const packages = lockfiles.reduce((sum, file) => sum + file.packages.length, 0);
  const notes = findings.filter(isNote).length;
  const suppressed = findings.filter((finding) => finding.suppressed !== undefined).length;
  const severities = countSeverities(findings);
  return {
    lockfiles: lockfiles.length,
    packages,
    outcomes: countOutcomes(lockfiles),
    severities,
    notes,
    ...(suppressed === 0 ? {} : { suppressed }),
  };
}

/** Open findings of a target by severity, without notes and suppressed ones. */
export function openFindings(tracked: readonly TrackedFinding[]): Readonly<Record<Severity, number>> {
  return countSeverities(tracked.flatMap(({ finding, status }) => (status === 'open' ? finding : [])));
}

/** Number of packages by outcome; every outcome has an entry. */
export function countOutcomes(lockfiles: readonly ResolvedLockfile[]): Record<Outcome, number> {
  const outcomes = { resolved: 0, missing: 0, unsupported: 0, private: 0, failed: 0, uncovered: 0 };
  for (const { packages } of lockfiles) {
    for (const { resolution } of packages) outcomes[resolution.outcome] += 1;
  }
  return outcomes;
}

/** Without notes and suppressed ones. */
function countSeverities(findings: readonly Finding[]): Readonly<Record<Severity, number>> {
  const severities = { critical: 0, high: 0, medium: 0, low: 0, none: 0, unrated: 0 };
  for (const finding of findings) if (isAlert(finding)) severities[finding.severity] += 1;
  return severities;
}

/** Package versions that a gap names. */
const MAX_SHOWN = 3;
/** Gaps that a log line names. */
const MAX_LOGGED_GAPS = 5;

/** The log fields of a judged scan, with a warning when it is incomplete. */
export function logVerdict(scan: string, verdict: Verdict): LogFacts {
  const { target, counts, changes, gaps, partial, kept, superseded } = verdict;
  const { lockfiles, packages, severities } = counts;
  const facts = {
    scan,
    target: target.id,
    lockfiles,
    packages,
    findings: severities,
    changes: changes.length,
    kept,
    gaps: gaps.length,
    partial: partial || undefined,
    superseded: superseded || undefined,
  };
  const hiding = gaps.filter(mayHide);
  if (hiding.length === 0) return { facts };
  return {
    facts: {
      ...facts,
      firstGaps: hiding
        .slice(0, MAX_LOGGED_GAPS)
        .map(({ subject, reason }) => `${subject}: ${reason.slice(0, 200)}`),
    },
    warning: 'the scan is incomplete and resolves only findings that are provably gone',
  };
}

/** The results of a scan's children; `undefined` for a child that failed permanently. */
export interface ScanFacts {
  readonly advisories: readonly (CollectedAdvisories | undefined)[];
  readonly expansions: readonly (ExpandedDependencies | undefined)[];
}

/** The facts that a scan could not determine, by subject. */
export async function gapsOf(inventory: Inventory, facts: ScanFacts): Promise<readonly Gap[]> {
  return [
    ...(await inventoryGaps(inventory)),
    ...(await advisoryGaps(inventory, facts)),
    ...expansionGaps(facts),
  ];
}

/** The gap of a package on which a rule failed. */
export function ruleGap({ rule, purl, reason }: Unjudged): Gap {
  return { kind: 'rule', subject: purl, reason: `rule ${rule} failed: ${reason}` };
}

/** What the lockfiles of an inventory do not say, and what was not looked up. */
export async function inventoryGaps(inventory: Inventory): Promise<readonly Gap[]> {
  const gaps: Gap[] = inventory.unread.map(({ path, error }) => ({
    kind: 'lockfile',
    subject: path,
    reason: error.message,
  }));
  if (inventory.forgotten !== undefined) gaps.push(serviceGap(inventory.forgotten));
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
  return [...gaps, ...(await doubtGaps(inventory))];
}

/** Package versions of which the service no longer states what it stated before. */
async function doubtGaps({ lockfiles }: Inventory): Promise<readonly Gap[]> {
  const doubts = new Map<string, Set<string>>();
  for (const { packages } of lockfiles) {
    for await (const slice of inSlices(packages)) {
      for (const { purl, resolution } of slice) {
        const { outcome, reason } = resolution;
        if (outcome !== 'resolved' || reason === undefined) continue;
        doubts.set(reason, (doubts.get(reason) ?? new Set()).add(purl));
      }
    }
  }
  return Array.from(doubts, doubtGap);
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

function serviceGap({ lost, compared }: NonNullable<Inventory['forgotten']>): Gap {
  return {
    kind: 'service',
    subject: 'package insights',
    reason:
      `the service does not know ${lost} of ${compared} packages that it knew at the last scan: ` +
      'it may have lost data, so packages that it does not know are not reported as missing',
  };
}

async function advisoryGaps(inventory: Inventory, { advisories }: ScanFacts): Promise<readonly Gap[]> {
  const yieldIfDue = createYielder();
  const accounted = new Set<string>();
  const gaps: Gap[] = [];
  for (const part of advisories) {
    await yieldIfDue();
    for (const { id, problems } of part?.advisories ?? []) {
      accounted.add(id);
      if (problems !== undefined) gaps.push({ kind: 'advisory', subject: id, reason: problems.join('; ') });
    }
    for (const { id, reason } of part?.failed ?? []) {
      accounted.add(id);
      gaps.push({ kind: 'advisory', subject: id, reason });
    }
  }
  for (const id of await referredAdvisories(inventory)) {
    if (accounted.has(id)) continue;
    gaps.push({ kind: 'advisory', subject: id, reason: 'its job failed permanently' });
  }
  return gaps;
}

function expansionGaps({ expansions }: ScanFacts): readonly Gap[] {
  return expansions.flatMap((part, index): readonly Gap[] =>
    part === undefined
      ? [{ kind: 'dependencies', subject: `part ${index}`, reason: 'its job failed permanently' }]
      : part.failed.map(({ versionKey, reason }) => ({
          kind: 'dependencies',
          subject: formatVersionKey(versionKey),
          reason,
        })),
  );
}
