import { policyOf } from '../config/effective-policy.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { Policy } from '../model/scan/policy.ts';
import type { ListedTarget } from '../store/fleet/target-summaries.ts';
import { requireLayout } from '../store/shards/shard-layout.ts';
import type { OnUnreadable } from '../store/values/stored-values.ts';
import { createLogger } from './logger.ts';
import { requireRedisUrl } from './redis-url.ts';
import { openStores, type Store } from './store.ts';

/** The fleet in the Redis of the workers, and what could not be read of it. */
export interface FleetStore {
  readonly shards: readonly Store[];
  /** The shard of a target. */
  of(target: string): Store;
  /** One sentence for each stored value that is damaged or newer than this release; the answer lacks what they hold. */
  readonly unreadable: readonly string[];
  readonly onUnreadable: OnUnreadable;
  /** Adds to `unreadable`. */
  readonly note: (message: string) => void;
  readonly policy: Policy;
  close(): Promise<void>;
}

/**
 * Throws `ConfigError` when `redis.url` is not set, and `StoreError` when Redis does not answer or when its targets are spread over
 * another number of shards than `redis.shards`.
 */
export async function openFleetStore(loaded: LoadedConfig): Promise<FleetStore> {
  requireRedisUrl(loaded);
  const { shards, of, layouts, close } = await openStores(loaded, createLogger(loaded));
  const unreadable: string[] = [];
  try {
    requireLayout(await layouts.read(), shards.length);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    shards,
    of,
    unreadable,
    onUnreadable: ({ message }) => void unreadable.push(message),
    note: (message) => void unreadable.push(message),
    policy: policyOf(loaded.config),
    close,
  };
}

/** The ids of all targets, in parts. */
export async function* targetIds({ shards }: FleetStore): AsyncGenerator<readonly string[]> {
  for (const { targetStates } of shards) yield* targetStates.ids();
}

/** All targets in short. */
export async function* summariesOf({ shards, onUnreadable }: FleetStore): AsyncGenerator<ListedTarget> {
  for (const { targetSummaries } of shards) {
    for await (const part of targetSummaries.all(onUnreadable)) yield* part;
  }
}

/** Returns a test of whether a target has all of these labels. */
export function hasLabels(wanted: Labels = {}): (labels: Labels) => boolean {
  const entries = Object.entries(wanted);
  return (labels) => entries.every(([name, value]) => Object.hasOwn(labels, name) && labels[name] === value);
}

export type Labels = Readonly<Record<string, string>>;
