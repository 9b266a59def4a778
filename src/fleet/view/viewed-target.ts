import type { Release, Target } from '../../model/api/lockhound-api.generated.ts';
import { defined } from '../../model/defined.ts';
import type { ExploitData } from '../../model/exploits/exploit-data.ts';
import type { FleetFinding } from '../../model/fleet/fleet-finding.ts';
import { releaseIn } from '../../model/fleet/release.ts';
import type { TargetSummary } from '../../model/fleet/target-summary.ts';
import { advisoryNames } from '../../model/scan/advisory-names.ts';
import type { TargetState, TrackedFinding } from '../../model/scan/change.ts';
import { isAlert } from '../../model/scan/is-alert.ts';
import { countedSeverity, RATED_SEVERITIES, type Severity } from '../../model/scan/severity.ts';
import { withExploits } from '../../policy/priority/exploits.ts';
import { withPriority } from '../../policy/priority/priority.ts';

/** The lockfiles of a target with the keys of their inventories. Not part of the JSON of a target. */
export const LOCKFILES = Symbol('lockfiles');

/** The text that a search for findings looks at, in lower case. Not part of the JSON of a target or a finding. */
export const SEARCHED = Symbol('searched');

/** A target in the view of the fleet. Whether it is stale or supported depends on the time. */
export type ViewedTarget = Omit<Target, 'stale' | 'release'> & {
  readonly release?: Omit<Release, 'supported'>;
  readonly [LOCKFILES]?: TargetSummary['lockfiles'];
  /** The text of all its findings. */
  readonly [SEARCHED]?: string;
};

/** A target with its findings. */
export interface ViewedContent {
  readonly target: ViewedTarget;
  readonly findings: readonly ViewedFinding[];
}

/** The place of its counted severity among the rated ones. Not part of the JSON of a finding. */
export const RANK = Symbol('rank');

/** The target that holds it. Not part of the JSON of a finding. */
export const HOLDER = Symbol('holder');

/** The reference of an open alert that was made without the state of its target: it has no places and times. Not part of the JSON of a finding. */
export const ALERT = Symbol('alert');

export interface ViewedFinding extends FleetFinding {
  readonly [SEARCHED]: string;
  readonly [RANK]: number;
  readonly [HOLDER]: ViewedTarget;
  readonly [ALERT]?: string;
}

/** Locations of a finding that lists show. */
const MAX_LOCATIONS = 3;

export function viewedTarget(
  target: string,
  { labels, lockfiles, packages, open, requestedAt, incomplete = false, supportedUntil }: TargetSummary,
): ViewedTarget {
  const release = releaseIn(target);
  return {
    target,
    labels,
    lockfiles: lockfiles.length,
    packages,
    open,
    requestedAt,
    incomplete,
    ...(release === undefined ? {} : { release: { ...release, ...defined({ supportedUntil }) } }),
    [LOCKFILES]: lockfiles,
  };
}

/** Returns the summary of a target whose own one cannot be read, from its state. */
export function summaryFrom({
  findings,
  lockfiles = [],
  requestedAt,
  incomplete = false,
  release,
}: TargetState): TargetSummary {
  const open: Partial<Record<Severity, number>> = {};
  for (const { status, finding } of findings) {
    if (status !== 'open' || !isAlert(finding)) continue;
    open[finding.severity] = (open[finding.severity] ?? 0) + 1;
  }
  return {
    labels: {},
    lockfiles: [...lockfiles],
    packages: 0,
    open,
    openByRule: {},
    requestedAt,
    incomplete,
    ...defined({ supportedUntil: release?.supportedUntil }),
  };
}

/** A target with its findings for lists: with their first locations, and with what is known of their exploitation now. */
export function viewedContent(
  target: ViewedTarget,
  { findings }: Pick<TargetState, 'findings'>,
  exploits: ExploitData,
): ViewedContent {
  const listed = findings.map((tracked) => listedFinding(target, tracked, exploits));
  const holder = { ...target, [SEARCHED]: listed.map((one) => one[SEARCHED]).join('\n') };
  return { target: holder, findings: listed.map((one) => ({ ...one, [HOLDER]: holder })) };
}

function listedFinding(
  { target, labels }: ViewedTarget,
  { finding: stored, status, openedAt, changedAt }: TrackedFinding,
  exploits: ExploitData,
) {
  const finding = withPriority(withExploits(stored, exploits));
  const places = finding.locations.length;
  const shown =
    places > MAX_LOCATIONS ? { ...finding, locations: finding.locations.slice(0, MAX_LOCATIONS) } : finding;
  const own = { target, labels, status, openedAt, changedAt, places, finding: shown };
  const rank = RATED_SEVERITIES.indexOf(countedSeverity(finding));
  return { ...own, [SEARCHED]: searchText(own), [RANK]: rank };
}

function searchText({ target, finding }: FleetFinding): string {
  return [target, finding.package.purl, finding.title, ...advisoryNames(finding)].join('\n').toLowerCase();
}
