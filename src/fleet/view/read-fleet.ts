import type { ExploitData } from '../../model/exploits/exploit-data.ts';
import type { TargetSummary } from '../../model/fleet/target-summary.ts';
import type { StoredAlerts } from '../../store/fleet/open-alerts.ts';
import type { TargetSummaries } from '../../store/fleet/target-summaries.ts';
import type { TargetStore } from '../../store/targets.ts';
import { type OnUnreadable, reportTo } from '../../store/values/stored-values.ts';
import type { FindingOrder, FleetSnapshot, TargetOrder } from './fleet-snapshot.ts';
import { EMPTY_FLEET, updateFleet } from './fleet-snapshot.ts';
import type { HeldAlerts } from './held-alerts.ts';
import { summaryFrom, type ViewedContent, viewedContent, viewedTarget } from './viewed-target.ts';

/** The part of the fleet that a question needs. */
export interface FleetNeed {
  /** The order of findings. Default: their lists are empty. */
  readonly order?: FindingOrder;
  /** The order of targets. Default: their lists are empty. */
  readonly targets?: TargetOrder;
  /** One target. Default: all. */
  readonly target?: string | undefined;
  /** Whether open alerts are enough, in the order of severity and without places and times. No states are read for them. */
  readonly onlyAlerts?: boolean;
  /** Whether the findings of a target may matter. Default: of no target. */
  readonly mayMatter?: (target: string, summary: TargetSummary) => boolean;
}

export interface ReadOptions {
  readonly exploits: ExploitData;
  readonly onUnreadable: OnUnreadable;
  /** Gets the open alerts of targets whose states are not read (`need.onlyAlerts`). */
  readonly held: HeldAlerts;
}

interface ReadShard {
  readonly targets: TargetStore;
  readonly targetSummaries: TargetSummaries;
  readonly openAlerts: { read(): Promise<StoredAlerts> };
}

/**
 * Reads from one shard what a question needs, and adds it to a snapshot: all summaries, or that of the one target; then the states of the
 * targets whose findings may matter, unless their open alerts are enough, and of those without a readable summary.
 */
export async function readFleet(
  fleet: FleetSnapshot = EMPTY_FLEET,
  shard: ReadShard,
  need: FleetNeed,
  { exploits, onUnreadable, held }: ReadOptions,
): Promise<FleetSnapshot> {
  const update = new Map<string, ViewedContent>();
  const wanted: string[] = [];
  const stored = need.onlyAlerts === true ? await shard.openAlerts.read() : undefined;
  const summaries = await summariesOf(shard, need, onUnreadable);
  for (const [target, summary] of summaries) {
    const viewed = viewedTarget(target, summary);
    update.set(target, { target: viewed, findings: [] });
    if (need.mayMatter?.(target, summary) !== true) continue;
    if (stored === undefined || !held.add(viewed, stored)) wanted.push(target);
  }
  if (need.target !== undefined) {
    if (summaries.size === 0) wanted.push(need.target);
  } else {
    for await (const ids of shard.targets.ids()) wanted.push(...ids.filter((id) => !summaries.has(id)));
  }
  for await (const [target, state] of shard.targets.each(wanted, onUnreadable)) {
    const viewed = update.get(target)?.target ?? viewedTarget(target, summaryFrom(state));
    update.set(target, viewedContent(viewed, state, exploits));
  }
  return await updateFleet(fleet, update, Number.POSITIVE_INFINITY, {
    findings: need.order === undefined ? [] : [need.order],
    targets: need.targets === undefined ? [] : [need.targets],
  });
}

async function summariesOf(
  { targetSummaries }: ReadShard,
  { target }: FleetNeed,
  onUnreadable: OnUnreadable,
): Promise<ReadonlyMap<string, TargetSummary>> {
  const found = new Map<string, TargetSummary>();
  if (target === undefined) {
    for await (const part of targetSummaries.all(onUnreadable))
      for (const [id, one] of part) found.set(id, one);
  } else {
    const summary = await targetSummaries.read(target).catch(reportTo(onUnreadable));
    if (summary !== undefined) found.set(target, summary);
  }
  return found;
}
