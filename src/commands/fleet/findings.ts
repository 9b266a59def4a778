import { currentData } from '../../compose/facts/exploits.ts';
import {
  type FleetStore,
  type Labels,
  labelTest,
  openFleetStore,
  summariesOf,
  targetIds,
} from '../../compose/fleet-store.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { isFixable } from '../../model/advice/fixable.ts';
import { NO_EXPLOIT_DATA } from '../../model/exploits/exploit-data.ts';
import type { FleetFinding } from '../../model/fleet/fleet-finding.ts';
import type { TargetSummary } from '../../model/fleet/target-summary.ts';
import { withAge } from '../../model/scan/age.ts';
import type { TrackedFinding } from '../../model/scan/change.ts';
import type { Finding } from '../../model/scan/finding.ts';
import { isAlert } from '../../model/scan/is-alert.ts';
import type { Policy } from '../../model/scan/policy.ts';
import { atLeast, countedSeverity, type RatedSeverity, SEVERITIES } from '../../model/scan/severity.ts';
import { mapInSlices } from '../../model/yielding.ts';
import { withKnownFixes } from '../../operations/findings/known-fixes.ts';
import { isOnlyIn } from '../../policy/group-filter.ts';
import { withExploits } from '../../policy/priority/exploits.ts';
import { withPriority } from '../../policy/priority/priority.ts';
import { issueKeys } from '../../policy/same-finding.ts';
import { reportTo } from '../../store/values/stored-values.ts';
import { unknownTarget } from './targets.ts';
import { requireTargets } from './where.ts';
import { createWorst } from './worst-findings.ts';

export interface FindingFilter {
  readonly target?: string | undefined;
  readonly labels?: Labels | undefined;
  readonly rules?: readonly string[] | undefined;
  /** At least as severe; an unrated one has the severity that it counts as. */
  readonly severity?: RatedSeverity | undefined;
  /** Open findings that are suppressed have a state of their own. */
  readonly state: 'open' | 'suppressed' | 'resolved' | 'all';
  /** A purl type. */
  readonly ecosystem?: string | undefined;
  /** Only those in direct dependencies. */
  readonly direct?: boolean | undefined;
  /** Not those in packages that are installed under these conditions alone. */
  readonly withoutGroups?: readonly string[] | undefined;
  /** Only those that a known upgrade clears. */
  readonly fixable?: boolean | undefined;
  /** Opened, resolved or changed at this time or later, in ms since 1970. */
  readonly since?: number | undefined;
  /** Also those that are only reported. */
  readonly notes?: boolean | undefined;
}

export interface FindingList {
  /** The worst first. */
  readonly findings: readonly FleetFinding[];
  /** Number of all that fit. */
  readonly total: number;
}

/** Findings that are listed: some 100 MB of memory. The others are counted. */
export const MAX_FINDINGS = 50_000;
const MAX_LOCATIONS = 20;
/** All places of each finding, as reports list them. */
export const WHOLE: ListLimits = { limit: MAX_FINDINGS, locations: Number.POSITIVE_INFINITY };

/** How much of what fits is listed. */
interface ListLimits {
  /** Findings. */
  readonly limit: number;
  /** Places of each finding. */
  readonly locations: number;
}
/** Findings whose fixes are read at once. */
const PART = 1_000;

/** Questions about findings. */
export type FindingAdmin = Awaited<ReturnType<typeof openFindings>>;

/** Throws `ConfigError` when `redis.url` is not set and `StoreError` when Redis does not answer. */
export async function openFindings(loaded: LoadedConfig) {
  const fleet = await openFleetStore(loaded);
  return {
    unreadable: fleet.unreadable,
    /** Throws `FleetError` (`nothing-stored`, `target-unknown`). */
    find: (filter: FindingFilter, limit = MAX_FINDINGS) =>
      findIn(fleet, filter, { limit: Math.min(limit, MAX_FINDINGS), locations: MAX_LOCATIONS }),
    close: fleet.close,
  };
}

/**
 * Reads the state of one target after the other, and keeps the findings of the highest priority. Throws `FleetError`
 * (`nothing-stored`, `target-unknown`).
 */
export async function findIn(
  fleet: FleetStore,
  filter: FindingFilter,
  { limit, locations }: ListLimits,
): Promise<FindingList> {
  const { fixable = false } = filter;
  const now = Date.now();
  const labelsOf = await candidates(fleet, filter);
  const [shared] = fleet.shards;
  const data = shared === undefined ? NO_EXPLOIT_DATA : await currentData(shared.exploits, fleet.note)();
  const worst = createWorst(limit);
  const targetsOf = createIssueCounts();
  const unread: FleetFinding[] = [];
  const addFixable = async (): Promise<void> => {
    for (const one of await withKnownFixes(fleet, unread.splice(0))) {
      if (isFixable(one.finding)) await worst.add(one);
    }
  };
  const byShard = Map.groupBy(labelsOf.keys(), fleet.of);
  for (const [store, targets] of byShard) {
    for await (const [target, state] of store.targetStates.each(targets, fleet.onUnreadable)) {
      const labels = labelsOf.get(target) ?? {};
      for (const tracked of state.findings) {
        if (!fits(tracked, filter)) continue;
        targetsOf.add(tracked.finding);
        const finding = withPriority(withExploits(withTerm(tracked, fleet.policy, now), data));
        const one = fleetFinding(target, labels, { ...tracked, finding }, locations);
        if (!fixable) await worst.add(one);
        else if (unread.push(one) >= PART) await addFixable();
      }
    }
  }
  await addFixable();
  const findings = await worst.sorted(async (kept) =>
    mapInSlices(fixable ? kept : await withKnownFixes(fleet, kept), (one) => ({
      ...one,
      finding: withPriority(one.finding, { targets: targetsOf.count(one.finding) }),
    })),
  );
  return { findings, total: worst.count() };
}

/** An open finding with its age at `now` (ms since 1970), and with the time by which it has to be resolved. */
export function withTerm(
  { finding, status, openedAt }: Pick<TrackedFinding, 'finding' | 'status' | 'openedAt'>,
  { dueIn }: Policy,
  now: number,
): Finding {
  if (status !== 'open') return finding;
  return withAge(finding, openedAt, now, isAlert(finding) ? dueIn[countedSeverity(finding)] : undefined);
}

/** Issues whose targets are counted: some tens of megabytes. */
const MAX_ISSUES = 200_000;

/** How many of the findings share an issue: in how many targets it is. */
function createIssueCounts() {
  const counts = new Map<string, number>();
  const keyOf = (finding: Finding) => issueKeys(finding)[0] ?? '';
  return {
    add(finding: Finding): void {
      const key = keyOf(finding);
      const before = counts.get(key);
      if (before !== undefined || counts.size < MAX_ISSUES) counts.set(key, (before ?? 0) + 1);
    },
    count: (finding: Finding) => counts.get(keyOf(finding)) ?? 1,
  };
}

/** The targets that may have such findings, with their labels. */
async function candidates(fleet: FleetStore, filter: FindingFilter): Promise<ReadonlyMap<string, Labels>> {
  if (filter.target !== undefined) return await onlyTarget(fleet, filter.target);
  const labelsOf = new Map<string, Labels>();
  const known = new Set<string>();
  const fits = labelTest(filter.labels);
  for await (const [target, summary] of summariesOf(fleet)) {
    known.add(target);
    if (fits(summary.labels) && mayHave(summary, filter)) labelsOf.set(target, summary.labels);
  }
  // Targets without a readable summary have no known labels.
  if (filter.labels === undefined) {
    for await (const part of targetIds(fleet)) {
      for (const target of part) if (!known.has(target)) labelsOf.set(target, {});
    }
  }
  if (known.size === 0 && labelsOf.size === 0) await requireTargets(fleet);
  return labelsOf;
}

async function onlyTarget(fleet: FleetStore, target: string): Promise<ReadonlyMap<string, Labels>> {
  const { targets, targetSummaries } = fleet.of(target);
  // The pass over states reports one that is damaged.
  const state = await targets.read(target).catch(reportTo(() => {}));
  const summary = await targetSummaries.read(target).catch(reportTo(fleet.onUnreadable));
  if (state === undefined && summary === undefined) throw await unknownTarget(fleet, target);
  return new Map([[target, summary?.labels ?? {}]]);
}

/** Whether a target may have findings that fit: most have no open ones. Summaries count open alerts. */
function mayHave({ open }: TargetSummary, { state, severity, notes = false }: FindingFilter): boolean {
  if (state !== 'open' || notes) return true;
  return SEVERITIES.some(
    (name) =>
      (open[name] ?? 0) > 0 && (severity === undefined || name === 'unrated' || atLeast(name, severity)),
  );
}

function fits({ finding, status, changedAt }: TrackedFinding, filter: FindingFilter): boolean {
  const { rules, severity, state, ecosystem, direct = false, withoutGroups, since, notes = false } = filter;
  return (
    (state === 'all' || state === stateOf(finding, status)) &&
    (notes || finding.level === 'alert') &&
    (rules === undefined || rules.includes(finding.rule)) &&
    (severity === undefined || atLeast(countedSeverity(finding), severity)) &&
    (ecosystem === undefined || finding.package.ecosystem === ecosystem) &&
    (!direct || finding.package.direct === true) &&
    (withoutGroups === undefined || !isOnlyIn(finding.package.groups, new Set(withoutGroups))) &&
    (since === undefined || Date.parse(changedAt) >= since)
  );
}

/** The state of a finding in lists. */
export function stateOf(
  { suppressed }: TrackedFinding['finding'],
  status: TrackedFinding['status'],
): FindingFilter['state'] {
  return status === 'open' && suppressed !== undefined ? 'suppressed' : status;
}

function fleetFinding(
  target: string,
  labels: Labels,
  { finding, status, openedAt, changedAt }: TrackedFinding,
  most: number,
): FleetFinding {
  const { locations } = finding;
  const listed = locations.length > most ? { ...finding, locations: locations.slice(0, most) } : finding;
  return { target, labels, status, openedAt, changedAt, places: locations.length, finding: listed };
}
