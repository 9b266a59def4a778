/** A lock across processes. It expires when its holder dies. */
export interface Lock {
  /**
   * Waits for the lock, runs `work` and releases the lock. It is renewed while `work` runs; when it is lost anyway, the
   * signal passed to `work` aborts.
   */
  hold<T>(name: string, work: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T>;
}
