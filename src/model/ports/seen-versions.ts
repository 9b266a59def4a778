/** Package versions that the index had at some time, for any target. Each is identified by the key of its look-up. */
export interface SeenVersions {
  add(keys: readonly string[]): Promise<void>;
  /** Returns for each key, in order, whether it was added. Keys that were added long ago may be forgotten. */
  has(keys: readonly string[]): Promise<readonly boolean[]>;
}
