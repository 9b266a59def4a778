/** Package versions that the index had at some time, for any target; by the key of their look-up. */
export interface SeenVersions {
  add(keys: readonly string[]): Promise<void>;
  /** For each key in order. One that was added long ago may be forgotten; one that was never added is not reported as seen. */
  has(keys: readonly string[]): Promise<readonly boolean[]>;
}
