import { randomBytes } from 'node:crypto';
import { defined } from '../model/defined.ts';
import type { TargetState } from '../model/scan/change.ts';
import { notAhead } from '../model/scan/not-ahead.ts';

/** The lockfiles of a scan and the time of its request. */
export interface ScanScope {
  /** RFC 3339. */
  readonly requestedAt: string;
  /** Whether it names only some of the target's lockfiles. */
  readonly partial: boolean;
  /** Lockfiles that it names, read or not. */
  readonly paths: readonly string[];
}

/**
 * The effect of scans that were requested later and judged earlier. `superseded`: this scan cannot change anything. `isLater`:
 * a scan requested later has judged this lockfile. Scans are judged in any order; for each lockfile the one that was requested
 * last applies.
 */
export function laterScans(state: TargetState | undefined, scan: ScanScope) {
  if (state === undefined) return { superseded: false, isLater: (_path: string) => false };
  const at = Date.parse(scan.requestedAt);
  const full = state.parts === undefined ? state.requestedAt : state.parts.full;
  const lockfiles = new Map(Object.entries(state.parts?.lockfiles ?? {}));
  const isLater = (path: string): boolean => {
    const judged = lockfiles.get(path);
    return judged !== undefined && at < Date.parse(judged);
  };
  const isOld = full !== undefined && at < Date.parse(full);
  const hasOnlyLater = scan.partial && scan.paths.every(isLater);
  return { superseded: isOld || hasOnlyLater, isLater };
}

/**
 * The revision of a state that replaces one of the revision `replaced`: a later one, which no other state has. When Redis loses a state
 * that a worker has read, the next state must not have its revision: the worker would replace what it has not read.
 */
export function nextRevision(replaced: number): number {
  return replaced + 1 + randomBytes(3).readUIntBE(0, 3);
}

/** Stands for a time that is not known: every scan is later. */
const UNKNOWN_TIME = new Date(0).toISOString();

/**
 * The state without request times in the future, which a worker with a clock that is ahead stored: every later scan would be superseded.
 * `now`: ms since 1970.
 */
export function withoutFuture(state: TargetState | undefined, now: number): TargetState | undefined {
  if (state === undefined) return undefined;
  const past = (time: string): string => (notAhead(time, now) === time ? time : UNKNOWN_TIME);
  const { full, lockfiles = {} } = state.parts ?? {};
  const parts = {
    ...(full === undefined ? {} : { full: past(full) }),
    lockfiles: Object.fromEntries(Object.entries(lockfiles).map(([path, time]) => [path, past(time)])),
  };
  return { ...state, requestedAt: past(state.requestedAt), ...(state.parts === undefined ? {} : { parts }) };
}

/** The order is kept for scans that are delayed by at most this time. */
const MAX_DELAY_MS = 30 * 24 * 3_600_000;

/** The request times to store after this scan. */
export function judgedTimes(
  state: TargetState | undefined,
  scan: ScanScope,
): Pick<TargetState, 'requestedAt' | 'parts'> {
  const { requestedAt, partial, paths } = scan;
  const at = Date.parse(requestedAt);
  const isNewest = state === undefined || at >= Date.parse(state.requestedAt);
  const newest = isNewest ? requestedAt : state.requestedAt;
  const known = Object.entries(state?.parts?.lockfiles ?? {});
  const oldest = partial ? Date.parse(newest) - MAX_DELAY_MS : at + 1;
  const lockfiles = new Map(known.filter(([, judged]) => Date.parse(judged) >= oldest));
  if (!partial) {
    return lockfiles.size === 0
      ? { requestedAt: newest }
      : { requestedAt: newest, parts: { full: requestedAt, lockfiles: Object.fromEntries(lockfiles) } };
  }
  const { isLater } = laterScans(state, scan);
  for (const path of paths) if (!isLater(path)) lockfiles.set(path, requestedAt);
  const full = state?.parts === undefined ? state?.requestedAt : state.parts.full;
  return {
    requestedAt: newest,
    parts: { ...defined({ full }), lockfiles: Object.fromEntries(lockfiles) },
  };
}
