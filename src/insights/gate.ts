import { MAX_PAUSE_MS } from '../model/retry-after.ts';
import { raceAbort } from '../model/time-limit.ts';
import { InsightsError, type InsightsErrorCode } from './errors.ts';

/**
 * Runs one request of an operation and returns its answer. While the operation is out of service, it sends no request and throws
 * an error with the code and the reason of the last one.
 */
export type Gate = <Value>(
  operation: string,
  ask: () => Promise<Value>,
  signal: AbortSignal,
) => Promise<Value>;

export interface GateOptions {
  /** A clock in milliseconds. It may be set: a time that is further ahead than the longest pause counts as past. Default: `Date.now`. */
  readonly now?: () => number;
  /** An operation out of service is tried again after this time, which doubles with each failure. Default: 1,000 ms. */
  readonly firstPauseMs?: number;
  /** Default: 60,000 ms. */
  readonly longestPauseMs?: number;
}

type Settings = Required<GateOptions>;

/** Failures in a row after which an operation is out of service. */
const MAX_FAILURES = 3;

/** Errors that concern the service. Others are answers about one request. */
const OUTAGES: ReadonlySet<InsightsErrorCode> = new Set([
  'refused',
  'rate-limited',
  'unavailable',
  'contract',
]);

/** The state of one operation. */
interface State {
  failures: number;
  error: InsightsError | undefined;
  triedAgainAt: number;
  pauseMs: number;
  /** The request that tries it again. Other requests wait for its end. */
  attempt: Promise<void> | undefined;
}

/**
 * Keeps requests from a service that fails: after some failures in a row, one request at a time tries whether the operation works
 * again. Each operation is judged on its own, so that one broken operation stops no other.
 */
export function createGate(options: GateOptions = {}): Gate {
  const { now = Date.now, firstPauseMs = 1_000, longestPauseMs = 60_000 } = options;
  const settings: Settings = { now, firstPauseMs, longestPauseMs };
  const states = new Map<string, State>();
  return async (operation, ask, signal) => {
    let state = states.get(operation);
    if (state === undefined) {
      state = { failures: 0, error: undefined, triedAgainAt: 0, pauseMs: 0, attempt: undefined };
      states.set(operation, state);
    }
    while (isOut(state)) {
      if (state.attempt === undefined && isDue(state, settings)) return await tryAgain(state, ask, settings);
      if (state.attempt !== undefined) await raceAbort(state.attempt, signal);
      if (isOut(state) && !isDue(state, settings)) throw notAsked(operation, state.error);
    }
    return await run(state, ask, settings);
  };
}

/** The last error is about another request, so it is only the reason. */
function notAsked(operation: string, last: InsightsError | undefined): InsightsError {
  const { code = 'unavailable', message = '', retryable = true, retryAfterMs } = last ?? {};
  return new InsightsError(code, `${operation} is out of service, so it was not asked (${message})`, {
    cause: last,
    retryable,
    retryAfterMs,
  });
}

function isOut(state: State): boolean {
  return state.failures >= MAX_FAILURES;
}

/** Whether it is time to try the operation again. */
function isDue({ triedAgainAt }: State, { now, longestPauseMs }: Settings): boolean {
  const left = triedAgainAt - now();
  return left <= 0 || left > Math.max(longestPauseMs, MAX_PAUSE_MS);
}

async function tryAgain<Value>(state: State, ask: () => Promise<Value>, settings: Settings): Promise<Value> {
  const { promise, resolve } = Promise.withResolvers<void>();
  state.attempt = promise;
  try {
    return await run(state, ask, settings);
  } finally {
    state.attempt = undefined;
    resolve();
  }
}

async function run<Value>(state: State, ask: () => Promise<Value>, settings: Settings): Promise<Value> {
  const wasOut = isOut(state);
  try {
    const value = await ask();
    Object.assign(state, { failures: 0, pauseMs: 0 });
    return value;
  } catch (error) {
    if (!(error instanceof InsightsError)) throw error;
    if (OUTAGES.has(error.code)) fail(state, error, wasOut, settings);
    else Object.assign(state, { failures: 0, pauseMs: 0 });
    throw error;
  }
}

function fail(
  state: State,
  error: InsightsError,
  wasOut: boolean,
  { now, firstPauseMs, longestPauseMs }: Settings,
): void {
  state.error = error;
  state.failures = error.code === 'rate-limited' ? MAX_FAILURES : state.failures + 1;
  if (!isOut(state)) return;
  // Requests that were sent together fail together: only one that tries again makes the pause longer.
  if (wasOut || state.pauseMs === 0) {
    state.pauseMs = Math.min(longestPauseMs, Math.max(firstPauseMs, 2 * state.pauseMs));
  }
  const requested = Math.min(error.retryAfterMs ?? 0, MAX_PAUSE_MS);
  state.triedAgainAt = now() + Math.max(state.pauseMs, requested);
}
