/** A lock across processes that a dead holder cannot leave held. */
export interface Lock {
  /**
   * Waits for the lock, runs `work` and lets go. The lock is renewed while `work` runs; when it is lost all the same,
   * the signal handed to `work` aborts.
   */
  hold<T>(name: string, work: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T>;
}
