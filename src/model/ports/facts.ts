import type { Known } from './cache.ts';

/** A fact that changed since the targets that it concerns were selected last. */
export interface PendingFact {
  readonly key: string;
  /** ms since 1970. */
  readonly changedAt: number;
}

/**
 * Facts: the last answers of the service about package versions or advisories, stored once for the whole fleet. Scans look them up
 * first: a fact is fresh for the time to live of cached answers. A fact that changes is pending until the targets that it
 * concerns are judged again.
 */
export interface Facts<Value> {
  /** Reads facts of any age, in the order of `keys`; `undefined` where the service was never asked. */
  read(keys: readonly string[]): Promise<readonly (Known<Value> | undefined)[]>;
  /** Facts that changed since a time, in ms since 1970, with their current value. At most those of the last day. */
  changedSince(time: number): Promise<ReadonlyMap<string, Known<Value>>>;
}

/** Facts that the refresh of the fleet adds to. */
export interface RefreshedFacts<Value> extends Facts<Value> {
  /**
   * Stores what is known from answers that the service has just given. `isRefresh`: answers about what was never looked up count as
   * changes. Returns the keys of those that differ from what was stored.
   */
  learn(
    entries: readonly (readonly [key: string, known: Known<Value>])[],
    options?: { readonly isRefresh?: boolean },
  ): Promise<readonly string[]>;
  /** When the service answered last, in ms since 1970, in the order of `keys`; `undefined` where it never did. */
  answeredAt(keys: readonly string[]): Promise<readonly (number | undefined)[]>;
  /** Records that the service did not answer look-ups of these keys, and why. What is known of them stays, and gets no fresher. */
  notAnswered(keys: readonly string[], reason: string): Promise<void>;
  /** Forgets when the service answered, for what is no longer looked up. */
  forgetTimes(keys: readonly string[]): Promise<void>;
}
