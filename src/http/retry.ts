/** Brief retries: the queue is what retries for long. Times in milliseconds. */
export interface RetryPolicy {
  /** Attempts in all. */
  readonly attempts: number;
  /** The longest wait before the second attempt; doubled each time. The wait itself is random below that. */
  readonly baseMs: number;
  /** No single wait is longer, also when the service asks for it: then its answer is returned. */
  readonly longestWaitMs: number;
}

export const BRIEF_RETRIES: RetryPolicy = { attempts: 3, baseMs: 200, longestWaitMs: 2_000 };

const IDEMPOTENT_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'PUT', 'DELETE']);

export function isIdempotent(method: string, stated: boolean | undefined): boolean {
  return stated ?? IDEMPOTENT_METHODS.has(method.toUpperCase());
}

/**
 * How long to wait before attempt `attempt` + 1 (counted from 1), or `undefined` to give up: attempts are used up, or
 * the service wants more patience than a brief retry has. Full jitter on top of what the service asked for.
 */
export function retryDelay(
  policy: RetryPolicy,
  attempt: number,
  retryAfterMs: number | undefined,
  random: () => number = Math.random,
): number | undefined {
  if (attempt >= policy.attempts) return undefined;
  const asked = retryAfterMs ?? 0;
  if (asked > policy.longestWaitMs) return undefined;
  const jitter = random() * Math.min(policy.baseMs * 2 ** (attempt - 1), policy.longestWaitMs);
  return Math.min(asked + jitter, Math.max(asked, policy.longestWaitMs));
}
