import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../model/errors.ts';
import { type ExploitData, NO_EXPLOIT_DATA } from '../../model/exploits/exploit-data.ts';
import { chunks } from '../../model/yielding.ts';
import type { StoredFleet } from '../../store/fleet/fleet.ts';
import type { TargetSummaries } from '../../store/fleet/target-summaries.ts';
import type { TargetStore } from '../../store/targets.ts';
import { type OnUnreadable, reportTo } from '../../store/values/stored-values.ts';
import { EMPTY_FLEET, type FleetSnapshot, type FleetUpdate, updateFleet } from './fleet-snapshot.ts';
import { summaryFrom, type ViewedContent, viewedContent, viewedTarget } from './viewed-target.ts';

export interface ViewedShard {
  readonly targets: TargetStore;
  readonly targetSummaries: TargetSummaries;
  readonly fleet: Pick<StoredFleet, 'freshness'>;
}

export interface FleetViewOptions {
  readonly shards: readonly ViewedShard[];
  /** `watch.staleAfter` in milliseconds. */
  readonly staleAfter: number;
  /** Time between two readings of what changed, in milliseconds. Default 1,000. */
  readonly every?: number;
  /** The lists about exploitation; another value after they changed. */
  readonly exploits: () => Promise<ExploitData>;
  readonly onUnreadable: OnUnreadable;
  /** A reading that failed; the view stays as it was, and the next reading repeats it. */
  readonly onFailure: (reason: string) => void;
}

/** Targets and findings of the fleet in memory, so that an answer reads nothing from Redis. Follows the store until it is closed. */
export interface FleetView {
  /** `undefined` until everything was read for the first time. */
  snapshot(): FleetSnapshot | undefined;
  /** Until when it has followed the store; ms since 1970. */
  readAt(): number;
  /** Whether the last answer about a package of a target is older than `staleAfter`. */
  isStale(target: { readonly target: string }): boolean;
  /** Reads what changed now. Throws what the store throws. */
  follow(): Promise<void>;
  close(): Promise<void>;
}

/** Findings in memory, of about 1.5 KB each. */
const MAX_FINDINGS = 200_000;
/** All revisions are compared this often. */
const COMPARE_EVERY_MS = 300_000;
/** Changes are read again over this time, because the clock of Redis may be set back a little. */
const OVERLAP_MS = 5_000;
/** Targets in one update. */
const PART = 500;

interface FollowedShard extends ViewedShard {
  /** Newest change that was read, by the clock of Redis. */
  newest: number;
  comparedAt: number;
  readonly revisions: Map<string, string>;
  staleTargets: ReadonlySet<string>;
}

/** `shardOf`: the index of the shard of a target. */
export function openFleetView(options: FleetViewOptions, shardOf: (target: string) => number): FleetView {
  const { every = 1_000, staleAfter, onUnreadable, onFailure } = options;
  const stop = new AbortController();
  const shards = options.shards.map((shard): FollowedShard => {
    return {
      ...shard,
      newest: 0,
      comparedAt: Number.NEGATIVE_INFINITY,
      revisions: new Map(),
      staleTargets: new Set(),
    };
  });
  let fleet = EMPTY_FLEET;
  let readAt = 0;
  let exploits = NO_EXPLOIT_DATA;
  let following: Promise<void> = Promise.resolve();
  const followAll = async (): Promise<void> => {
    const began = Date.now();
    const current = await options.exploits();
    // Priorities depend on them: all targets are read again.
    if (current !== exploits) for (const shard of shards) shard.revisions.clear();
    exploits = current;
    for (const shard of shards) {
      shard.staleTargets = (await shard.fleet.freshness(staleAfter)).staleTargets;
      for (const part of chunks(await changedTargets(shard), PART)) {
        stop.signal.throwIfAborted();
        // Before the states: a state that is saved in between is read again.
        const revisions = await shard.targets.revisions(part);
        fleet = await updateFleet(
          fleet,
          await readTargets(shard, part, { exploits, onUnreadable }),
          MAX_FINDINGS,
        );
        for (const [index, target] of part.entries()) remember(shard, target, revisions[index]);
      }
    }
    readAt = began;
    if (fleet.leftOut.size === 0 || fleet.findingLists.severity.length > 0.9 * MAX_FINDINGS) return;
    // There is room again: the next reading reads these targets.
    for (const target of fleet.leftOut.keys()) shards[shardOf(target)]?.revisions.delete(target);
  };
  const follow = (): Promise<void> => {
    following = following.then(followAll, followAll);
    return following;
  };
  const running = (async () => {
    while (!stop.signal.aborted) {
      await follow().catch((error: unknown) => stop.signal.aborted || onFailure(messageOf(error)));
      await sleep(every, undefined, { signal: stop.signal, ref: false }).catch(() => {});
    }
  })();
  return {
    snapshot: () => (readAt === 0 ? undefined : fleet),
    readAt: () => readAt,
    isStale: ({ target }) => shards[shardOf(target)]?.staleTargets.has(target) === true,
    follow,
    async close() {
      stop.abort();
      await running;
    },
  };
}

/** The targets of a shard whose state differs from the one that was read last. */
async function changedTargets(shard: FollowedShard): Promise<readonly string[]> {
  const { targets, newest } = await shard.targets.touchedSince(Math.max(0, shard.newest - OVERLAP_MS));
  const changed = await withOtherRevision(shard, targets);
  shard.newest = newest;
  const unknown = changed.filter((target) => !shard.revisions.has(target)).length;
  const isDue = performance.now() - shard.comparedAt > COMPARE_EVERY_MS;
  if (!isDue && shard.revisions.size + unknown === (await shard.targets.count())) return changed;
  // Also after a target was removed.
  const all: string[] = [];
  for await (const ids of shard.targets.ids()) all.push(...ids);
  const present = new Set(all);
  const gone = [...shard.revisions.keys()].filter((target) => !present.has(target));
  const found = await withOtherRevision(shard, all);
  shard.comparedAt = performance.now();
  return [...new Set([...changed, ...found, ...gone])];
}

/** Redis answers this many commands in one step. */
const REVISIONS = 1_000;

async function withOtherRevision(shard: FollowedShard, targets: readonly string[]): Promise<string[]> {
  const changed: string[] = [];
  for (const part of chunks(targets, REVISIONS)) {
    const revisions = await shard.targets.revisions(part);
    changed.push(...part.filter((target, index) => revisions[index] !== shard.revisions.get(target)));
  }
  return changed;
}

async function readTargets(
  shard: FollowedShard,
  targets: readonly string[],
  { exploits, onUnreadable }: { readonly exploits: ExploitData; readonly onUnreadable: OnUnreadable },
): Promise<FleetUpdate> {
  const update = new Map<string, ViewedContent | undefined>();
  const summaries = await Promise.all(
    targets.map((target) => shard.targetSummaries.read(target).catch(reportTo(onUnreadable))),
  );
  const summaryOf = new Map(targets.map((target, index) => [target, summaries[index]]));
  for (const [target, summary] of summaryOf) {
    const known = summary === undefined ? undefined : viewedTarget(target, summary);
    update.set(target, known && { target: known, findings: [] });
  }
  for await (const [target, state] of shard.targets.each(targets, onUnreadable)) {
    const viewed = viewedTarget(target, summaryOf.get(target) ?? summaryFrom(state));
    update.set(target, viewedContent(viewed, state, exploits));
  }
  return update;
}

function remember({ revisions }: FollowedShard, target: string, revision: string | undefined): void {
  if (revision === undefined) revisions.delete(target);
  else revisions.set(target, revision);
}
