/** A rate limit of requests to one service, shared by all its callers. */
export interface RequestBudget {
  /** Resolves when one more request may be sent; rejects with the signal's reason, or when the budget cannot be read. */
  take(signal?: AbortSignal): Promise<void>;
  /** Stops all requests for `ms`, as the service asked. A shorter pause does not end a longer one. */
  pause(ms: number): Promise<void>;
}
