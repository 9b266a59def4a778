/** A maximum number of requests in each period. */
export interface RateLimit {
  readonly requests: number;
  /** Length of the period. Default 1. */
  readonly seconds?: number;
}

/** Returns a function that counts a request and returns 0 when it is within the limit, otherwise the seconds to wait. */
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
