import type { TargetState } from '../model/scan/change.ts';

/** What a scan covers, and when it was asked for. */
export interface ScanScope {
  /** RFC 3339. */
  readonly requestedAt: string;
  /** Whether it names only some of the target's lockfiles. */
  readonly partial: boolean;
  /** Lockfiles that it names, read or not. */
  readonly paths: readonly string[];
}

/** What later scans have said already. */
export interface LaterScans {
  /** True when nothing is left for this scan to say. */
  readonly superseded: boolean;
  /** Whether a scan asked for later has judged this lockfile. */
  isLater(path: string): boolean;
}

/** Scans are judged in any order: of each lockfile the one asked for last counts. */
export function laterScans(state: TargetState | undefined, scan: ScanScope): LaterScans {
  if (state === undefined) return { superseded: false, isLater: () => false };
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

/** A scan that comes later than this is not waited for. */
const MAX_DELAY_MS = 30 * 24 * 3_600_000;

/** When what was judged, after this scan too. */
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
    parts: { ...(full === undefined ? {} : { full }), lockfiles: Object.fromEntries(lockfiles) },
  };
}
