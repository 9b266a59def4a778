/** At most so many requests in each period of so many seconds. */
export interface RateLimit {
  readonly requests: number;
  /** Default 1. */
  readonly seconds?: number;
}

/** Counts a request at each call, in windows from the first one on: 0 when it may pass, else the seconds left to wait. */
export function rateLimiter(
  { requests, seconds = 1 }: RateLimit,
  now: () => number = () => performance.now(),
): () => number {
  let start = Number.NEGATIVE_INFINITY;
  let count = 0;
  return () => {
    const time = now();
    if (time - start >= seconds * 1_000) {
      start = time;
      count = 0;
    }
    count += 1;
    return count <= requests ? 0 : Math.ceil(seconds - (time - start) / 1_000);
  };
}
