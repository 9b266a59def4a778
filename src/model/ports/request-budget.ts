/** A budget of requests to one service, shared by all who call it. */
export interface RequestBudget {
  /** Resolves when one more request may be sent; rejects with the signal's reason, or when the budget cannot be asked. */
  take(signal?: AbortSignal): Promise<void>;
  /** Nobody is given anything for `ms`: the service asked for that. A shorter pause does not cut a longer one short. */
  pause(ms: number): Promise<void>;
}
