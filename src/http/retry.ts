/** Brief retries; longer ones are delayed jobs. Times in milliseconds. */
export interface RetryPolicy {
  /** Attempts in total. */
  readonly attempts: number;
  /** Upper bound of the random wait before the second attempt; doubled for each further attempt. */
  readonly baseMs: number;
  /** The longest single wait. When the service asks for a longer one, its answer is returned. */
  readonly longestWaitMs: number;
}

export const BRIEF_RETRIES: RetryPolicy = { attempts: 3, baseMs: 200, longestWaitMs: 2_000 };

const IDEMPOTENT_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'PUT', 'DELETE']);

export function isIdempotent(method: string, stated: boolean | undefined): boolean {
  return stated ?? IDEMPOTENT_METHODS.has(method.toUpperCase());
}

/**
 * The wait after attempt `attempt` (counted from 1): the requested wait plus full jitter. `undefined` when there is no
 * further attempt, or the service requested a longer wait than the policy allows.
 */
export function retryDelay(
  policy: RetryPolicy,
  attempt: number,
  retryAfterMs: number | undefined,
  random: () => number = Math.random,
): number | undefined {
  if (attempt >= policy.attempts) return undefined;
  const requestedMs = retryAfterMs ?? 0;
  if (requestedMs > policy.longestWaitMs) return undefined;
  const jitter = random() * Math.min(policy.baseMs * 2 ** (attempt - 1), policy.longestWaitMs);
  return Math.min(requestedMs + jitter, Math.max(requestedMs, policy.longestWaitMs));
}
