/**
 * Answers of a Redis that can be reached and does not take writes now: it became a replica, loads its data, has lost its
 * primary, its replicas, its disk or part of its cluster. On another connection, or later, the same command may succeed.
 */
const REFUSAL = /(?:^|[\s-])(READONLY|LOADING|MASTERDOWN|CLUSTERDOWN|NOREPLICAS|MISCONF|UNBLOCKED)\s/;

const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 2_000;
/** Without a refusal for this long, writes are taken as far as anybody can tell. */
const QUIET_MS = 5_000;

/** What an answer means for the connection and for the command, in ioredis's numbers. */
const KEEP = false;
const RECONNECT = 1;
const RECONNECT_AND_REPEAT = 2;

export interface Refusals {
  /** To be asked about each error that Redis answers with. */
  onError(error: Error): typeof KEEP | typeof RECONNECT | typeof RECONNECT_AND_REPEAT;
  /** To be asked before each new connection: how long to wait at least, in ms. */
  delay(): number;
  /** The latest answer, as long as it is not long ago. */
  current(): Error | undefined;
}

export interface RefusalOptions {
  /** True: a refused command waits until it is taken. False: its caller is told. */
  readonly wait: boolean;
  readonly now?: () => number;
}

/** Refusals that the connections of one process to one Redis get; copies of a connection share them. */
export function createRefusals({ wait, now = Date.now }: RefusalOptions): Refusals {
  let latest: { readonly error: Error; readonly at: number } | undefined;
  let connections = 0;
  const current = (): Error | undefined =>
    latest !== undefined && now() - latest.at < QUIET_MS ? latest.error : undefined;
  return {
    current,
    onError(error) {
      if (!REFUSAL.test(`${error.message} `)) return KEEP;
      if (current() === undefined) connections = 0;
      latest = { error, at: now() };
      return wait ? RECONNECT_AND_REPEAT : RECONNECT;
    },
    delay() {
      if (current() === undefined) return 0;
      connections += 1;
      return Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(connections - 1, 10));
    },
  };
}

export const REFUSALS_END_AFTER_MS = QUIET_MS;
