import type { ExploitData } from '../../model/exploits/exploit-data.ts';
import type { TargetSummary } from '../../model/fleet/target-summary.ts';
import type { TargetStates } from '../../store/fleet/target-states.ts';
import type { TargetSummaries } from '../../store/fleet/target-summaries.ts';
import { type OnUnreadable, reportTo } from '../../store/values/stored-values.ts';
import type { FindingOrder } from './fleet-order.ts';
import { EMPTY_FLEET, type FleetSnapshot, updateFleet } from './fleet-snapshot.ts';
import { summaryFrom, type ViewedContent, viewedContent, viewedTarget } from './viewed-target.ts';

/** What a question needs of the fleet. */
export interface FleetNeed {
  /** The order of findings. Default: their lists are empty. */
  readonly order?: FindingOrder;
  /** One target. Default: all. */
  readonly target?: string | undefined;
  /** Whether the findings of a target may matter. Default: of no target. */
  readonly mayMatter?: (target: string, summary: TargetSummary) => boolean;
}

export interface ReadOptions {
  readonly exploits: ExploitData;
  readonly onUnreadable: OnUnreadable;
}

interface ReadShard {
  readonly targetStates: TargetStates;
  readonly targetSummaries: TargetSummaries;
}

/**
 * Reads from one shard what a question needs, and adds it to a snapshot: all summaries, or that of the one target; then the states of the
 * targets whose findings may matter, and of those without a readable summary.
 */
export async function readFleet(
  fleet: FleetSnapshot = EMPTY_FLEET,
  shard: ReadShard,
  need: FleetNeed,
  { exploits, onUnreadable }: ReadOptions,
): Promise<FleetSnapshot> {
  const update = new Map<string, ViewedContent>();
  const wanted: string[] = [];
  const summaries = await summariesOf(shard, need, onUnreadable);
  for (const [target, summary] of summaries) {
    update.set(target, { target: viewedTarget(target, summary), findings: [] });
    if (need.mayMatter?.(target, summary) === true) wanted.push(target);
  }
  if (need.target !== undefined) {
    if (summaries.size === 0) wanted.push(need.target);
  } else {
    for await (const ids of shard.targetStates.ids()) wanted.push(...ids.filter((id) => !summaries.has(id)));
  }
  for await (const [target, state] of shard.targetStates.each(wanted, onUnreadable)) {
    const viewed = update.get(target)?.target ?? viewedTarget(target, summaryFrom(state));
    update.set(target, viewedContent(viewed, state, exploits));
  }
  return await updateFleet(
    fleet,
    update,
    Number.POSITIVE_INFINITY,
    need.order === undefined ? [] : [need.order],
  );
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
