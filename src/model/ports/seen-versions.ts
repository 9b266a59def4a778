/** Package versions that the index was seen to have, whichever target asked; by the key of their look-up. */
export interface SeenVersions {
  add(keys: readonly string[]): Promise<void>;
  /** For each key in order. One that was added long ago may be forgotten; one that was not is never taken for it. */
  has(keys: readonly string[]): Promise<readonly boolean[]>;
}
