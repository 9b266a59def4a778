import { distance } from 'fastest-levenshtein';
import {
  type FleetStore,
  type Labels,
  labelTest,
  openFleetStore,
  summariesOf,
  targetIds,
} from '../../compose/fleet-store.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { COMPARE_TARGETS } from '../../fleet/view/fleet-order.ts';
import { summaryFrom } from '../../fleet/view/viewed-target.ts';
import { joinFreshness } from '../../model/fleet/freshness.ts';
import type { ListedTarget, ShownTarget } from '../../model/fleet/listed-target.ts';
import type { TargetSummary } from '../../model/fleet/target-summary.ts';
import type { DataLoss } from '../../model/losses/evidence.ts';
import { SEVERITIES, type Severity } from '../../model/scan/severity.ts';
import { sortInSlices } from '../../model/yielding.ts';
import { FleetError } from '../../operations/errors.ts';
import { compareFindingOrder, compareText } from '../../policy/finding-order.ts';
import { CHANGED, type ForgottenTarget } from '../../store/fleet/forget-target.ts';
import { reportTo } from '../../store/values/stored-values.ts';
import { requireTargets } from './where.ts';

export interface TargetFilter {
  readonly labels?: Labels | undefined;
  /** Only targets with an open finding that is at least as severe. */
  readonly worst?: Severity | undefined;
  readonly incomplete?: boolean | undefined;
  readonly stale?: boolean | undefined;
}

/** Administration of targets. */
export type TargetAdmin = Awaited<ReturnType<typeof openTargetAdmin>>;

/** Throws `ConfigError` when `redis.url` is not set and `StoreError` when Redis does not answer. */
export async function openTargetAdmin(loaded: LoadedConfig) {
  const fleet = await openFleetStore(loaded);
  const { staleAfter } = loaded.config.watch;
  return {
    unreadable: fleet.unreadable,
    /** Those with the worst findings first. Throws `FleetError` (`nothing-stored`). */
    list: (filter: TargetFilter) => list(fleet, filter, staleAfter),
    /** Throws `FleetError` (`target-unknown`). */
    show: async (target: string) =>
      (await showTarget(fleet, target, staleAfter)) ?? Promise.reject(await unknownTarget(fleet, target)),
    /** Removes all that is stored of a target. Throws `FleetError` (`target-unknown`, `changed-meanwhile`). */
    forget: async (target: string) =>
      (await forgetTarget(fleet, target)) ?? Promise.reject(await unknownTarget(fleet, target)),
    /** Has the next refresh believe what the last one doubted. Throws `FleetError` (`nothing-lost`). */
    acceptLoss: (by: string) => acceptLoss(fleet, by),
    close: fleet.close,
  };
}

async function acceptLoss(fleet: FleetStore, by: string): Promise<readonly DataLoss[]> {
  const at = new Date().toISOString();
  const accepted = await Promise.all(fleet.shards.map((store) => store.fleet.acceptLoss(by, at)));
  const losses = accepted.filter((loss) => loss !== undefined);
  if (losses.length > 0) return losses;
  throw new FleetError('nothing-lost', 'the last refresh doubts nothing: see `lockhound health`');
}

async function list(
  fleet: FleetStore,
  { labels, worst, incomplete, stale }: TargetFilter,
  staleAfter: number,
): Promise<readonly ListedTarget[]> {
  const isStale = await staleness(fleet, staleAfter);
  const listed: ListedTarget[] = [];
  const known = new Set<string>();
  for await (const [target, summary] of summariesOf(fleet)) {
    known.add(target);
    listed.push(listedTarget(target, summary, isStale));
  }
  for (const { targetStates } of fleet.shards) {
    const others: string[] = [];
    for await (const part of targetStates.ids()) others.push(...part.filter((id) => !known.has(id)));
    for await (const [target, state] of targetStates.each(others, fleet.onUnreadable)) {
      listed.push(listedTarget(target, summaryFrom(state), isStale));
    }
  }
  if (listed.length === 0 && fleet.unreadable.length === 0) await requireTargets(fleet);
  const fits = labelTest(labels);
  const wanted = listed.filter(
    (one) =>
      fits(one.labels) &&
      (worst === undefined ||
        SEVERITIES.slice(0, SEVERITIES.indexOf(worst) + 1).some((name) => (one.open[name] ?? 0) > 0)) &&
      (incomplete !== true || one.incomplete) &&
      (stale !== true || one.stale),
  );
  return await sortInSlices(wanted, COMPARE_TARGETS.worst);
}

type IsStale = (target: string) => boolean;

/** Returns whether the last answer about a package of a target is older than `staleAfter` ms. */
async function staleness(fleet: FleetStore, staleAfter: number): Promise<IsStale> {
  const shards = fleet.shards.map((store) => store.fleet.freshness(staleAfter));
  const { staleTargets } = joinFreshness(await Promise.all(shards));
  return (target) => staleTargets.has(target);
}

function listedTarget(
  target: string,
  { labels, lockfiles, packages, open, requestedAt, incomplete = false }: TargetSummary,
  isStale: IsStale,
): ListedTarget {
  return {
    target,
    labels,
    lockfiles: lockfiles.length,
    packages,
    open,
    requestedAt,
    incomplete,
    stale: isStale(target),
  };
}

/** `undefined` for a target that is not stored. */
export async function showTarget(
  fleet: FleetStore,
  target: string,
  staleAfter: number,
): Promise<ShownTarget | undefined> {
  let isDamaged = false;
  const onUnreadable: FleetStore['onUnreadable'] = (error) => {
    isDamaged = true;
    fleet.onUnreadable(error);
  };
  const store = fleet.of(target);
  const summary = await store.targetSummaries.read(target).catch(reportTo(onUnreadable));
  const state = await store.targets.read(target).catch(reportTo(onUnreadable));
  if (summary === undefined && state === undefined && !isDamaged) return undefined;
  const isStale = await staleness(fleet, staleAfter);
  const known = summary ?? (state === undefined ? undefined : summaryFrom(state));
  const findings = (state?.findings ?? []).filter(({ status }) => status === 'open');
  return {
    target,
    ...(known === undefined ? {} : { summary: listedTarget(target, known, isStale) }),
    lockfiles: state?.lockfiles ?? [],
    ...(state?.image === undefined ? {} : { image: state.image }),
    history: state?.history ?? [],
    findings: await sortInSlices(findings, (left, right) => compareFindingOrder(left.finding, right.finding)),
    deliveries: await store.deliveries.newestOf(target),
  };
}

/** `undefined` for a target that is not stored. Throws `FleetError` (`changed-meanwhile`). */
export async function forgetTarget(fleet: FleetStore, target: string): Promise<ForgottenTarget | undefined> {
  const removed = await fleet.of(target).forgetTarget(target);
  if (removed !== CHANGED) return removed;
  throw new FleetError(
    'changed-meanwhile',
    `target ${target} was not removed: scans of it are saved all the time. Stop its producer or schedule, and try again`,
    { retryable: true },
  );
}

/** Names in a message about an unknown target. */
const MAX_NEAREST = 3;

/** The error for a target that is not stored, with the ids that resemble it most. */
export async function unknownTarget(fleet: FleetStore, target: string): Promise<FleetError> {
  await requireTargets(fleet);
  const wanted = target.toLowerCase();
  let nearest: { readonly id: string; readonly rank: number }[] = [];
  for await (const part of targetIds(fleet)) {
    const ranked = part.flatMap((id) => {
      const lower = id.toLowerCase();
      const contains = lower.includes(wanted) || wanted.includes(lower);
      const rank = contains ? 0 : distance(lower, wanted);
      return rank <= Math.max(2, wanted.length * 0.4) ? [{ id, rank }] : [];
    });
    nearest = [...nearest, ...ranked]
      .sort((left, right) => left.rank - right.rank || compareText(left.id, right.id))
      .slice(0, MAX_NEAREST);
  }
  const hint =
    nearest.length > 0
      ? `did you mean ${nearest.map(({ id }) => id).join(', ')}?`
      : 'see `lockhound targets list`';
  return new FleetError('target-unknown', `there is no target ${target}: ${hint}`);
}
