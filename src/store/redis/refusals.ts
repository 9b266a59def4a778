/**
 * Answers of a Redis that is reachable and accepts no writes now: it became a replica, loads its data, or has lost its
 * primary, its replicas, its disk or part of its cluster. The same command may succeed on another connection, or later.
 */
const REFUSAL = /(?:^|[\s-])(READONLY|LOADING|MASTERDOWN|CLUSTERDOWN|NOREPLICAS|MISCONF|UNBLOCKED)\s/;

const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 2_000;
/** After this time without a refusal, Redis is assumed to accept writes. */
const QUIET_MS = 5_000;

/** Actions after an answer, as ioredis numbers them. */
const KEEP = false;
const RECONNECT = 1;
const RECONNECT_AND_REPEAT = 2;

export type Refusals = ReturnType<typeof createRefusals>;

export interface RefusalOptions {
  /** True: a refused command waits until Redis accepts it. False: its caller gets the error. */
  readonly wait: boolean;
  readonly now?: () => number;
}

/** The refusals of one Redis; a connection and its duplicates share them. */
export function createRefusals({ wait, now = Date.now }: RefusalOptions) {
  let latest: { readonly error: Error; readonly at: number } | undefined;
  let connections = 0;
  const current = (): Error | undefined =>
    latest !== undefined && now() - latest.at < QUIET_MS ? latest.error : undefined;
  return {
    /** The latest refusal, while writes are assumed to be refused. */
    current,
    /** The action after an error that Redis answered. */
    onError(error: Error): typeof KEEP | typeof RECONNECT | typeof RECONNECT_AND_REPEAT {
      if (!REFUSAL.test(`${error.message} `)) return KEEP;
      if (current() === undefined) connections = 0;
      latest = { error, at: now() };
      return wait ? RECONNECT_AND_REPEAT : RECONNECT;
    },
    /** The shortest wait before the next connection, in ms. Called before each connection. */
    delay(): number {
      if (current() === undefined) return 0;
      connections += 1;
      return Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(connections - 1, 10));
    },
  };
}

export const REFUSALS_END_AFTER_MS = QUIET_MS;
