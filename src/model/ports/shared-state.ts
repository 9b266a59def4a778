import type { KnownFix } from '../advice/fix.ts';
import type { VersionKey } from '../lockfile/ecosystem.ts';
import type { Inspection, ProjectScore } from '../signal/inspection.ts';

/** A fact that changed since the targets that it concerns were selected last. */
export interface PendingFact {
  readonly key: string;
  /** ms since 1970. */
  readonly changedAt: number;
}

/**
 * Facts: the last answers of the service about package versions or advisories, stored once for the whole fleet. Scans look them up
 * first: a fact is fresh for the time to live of cached answers. A fact that changes is pending until the targets that it
 * concerns are judged again.
 */
export interface Facts<Value> {
  /** Reads facts of any age, in the order of `keys`; `undefined` where the service was never asked. */
  read(keys: readonly string[]): Promise<readonly (Known<Value> | undefined)[]>;
  /** Facts that changed since a time, in ms since 1970, with their current value. At most those of the last day. */
  changedSince(time: number): Promise<ReadonlyMap<string, Known<Value>>>;
}

/** The changes of facts since a time. */
export interface FactNews {
  /** The time of this answer, for the next question. */
  readonly until: string;
  /** The keys of facts that were replaced; `undefined`: any may have been replaced or removed. */
  readonly replaced: readonly string[] | undefined;
}

/** Facts that the refresh of the fleet adds to. */
export interface RefreshedFacts<Value> extends Facts<Value> {
  /**
   * Stores what is known from answers that the service has just given. `isRefresh`: answers about what was never looked up count as
   * changes. Returns the keys of those that differ from what was stored.
   */
  learn(
    entries: readonly (readonly [key: string, known: Known<Value>])[],
    options?: { readonly isRefresh?: boolean },
  ): Promise<readonly string[]>;
  /** When the service answered last, in ms since 1970, in the order of `keys`; `undefined` where it never did. */
  answeredAt(keys: readonly string[]): Promise<readonly (number | undefined)[]>;
  /** Records that the service did not answer look-ups of these keys, and why. What is known of them stays, and gets no fresher. */
  notAnswered(keys: readonly string[], reason: string): Promise<void>;
  /** Forgets when the service answered, for what is no longer looked up. */
  forgetTimes(keys: readonly string[]): Promise<void>;
  /**
   * The facts that were replaced since an earlier answer; `undefined`: since ever. Without this function, that is not
   * known.
   */
  news?(since: string | undefined): Promise<FactNews>;
  /** Reads facts as they are stored, in the order of `keys`, without a check of their form. `undefined` for a fact that is absent or of another version. */
  unchecked?(keys: readonly string[]): Promise<readonly unknown[]>;
}

/** A shared cache of JSON values with a time to live. Losing the cache costs time, not data. */
export interface Cache {
  /** Values in the order of `keys`; `undefined` for a key without a value. */
  getMany(kind: string, keys: readonly string[]): Promise<readonly unknown[]>;
  /** Stores the values under their keys for `ttlMs`. */
  setMany(
    kind: string,
    entries: readonly (readonly [key: string, value: unknown])[],
    ttlMs: number,
  ): Promise<void>;
}

/** The answer of a service: the record, or that the service has none. */
export type Answer<Value> = { readonly record: Value } | { readonly missing: true };

/**
 * A record as the answers of a service state it, or that the service has none. `doubted`: the last answer, when it no longer states
 * what an earlier one stated, and nothing shows whether the service lost data. The record then has what was stated before.
 */
export type Known<Value> =
  | { readonly record: Value; readonly doubted?: Answer<Value> }
  | { readonly missing: true };

export interface StoredInspection {
  /** Identity of the package version in the fleet. */
  readonly identity: string;
  readonly inspection: Inspection;
  /** Whether its signals differ from those stored before: the targets that hold the version are then judged again. */
  readonly isNews: boolean;
  /** When it is inspected again, ms since 1970. Unset: never. */
  readonly againAt?: number | undefined;
}

/** Inspections of package versions, stored once for the fleet. */
export interface Inspections {
  /** Reads in the order of the identities; `undefined` for a version that was not inspected, or whose inspection found nothing. */
  read(identities: readonly string[]): Promise<readonly (Inspection | undefined)[]>;
  store(entries: readonly StoredInspection[]): Promise<void>;
  /** Returns for each subject, in order, whether it was inspected, or seen at the first scan of a target. */
  isKnown(subjects: readonly string[]): Promise<readonly boolean[]>;
  markKnown(subjects: readonly string[]): Promise<void>;
  /** Scorecards of the source projects of inspected versions. */
  readonly projects: ProjectScores;
  /** Identities that are to be inspected again by now, those that are due for longest first. */
  due(now: number, limit: number): Promise<readonly string[]>;
}

/** A package version with findings, and the direct dependencies that bring it. */
export interface FixQuestion {
  readonly key: VersionKey;
  readonly directs: readonly VersionKey[];
}

/** Known fixes, for the whole fleet. */
export interface KnownFixes {
  /** Reads in the order of the keys; `undefined` for a version that was not asked about lately. */
  read(keys: readonly VersionKey[]): Promise<readonly (KnownFix | undefined)[]>;
  /**
   * The questions that no other scan has asked lately; from now on this one has. Scans of one process that begin together have most
   * questions in common. Processes do not know of one another's questions.
   */
  unasked(scan: string, questions: readonly FixQuestion[]): readonly FixQuestion[];
  /**
   * Finds out and stores what is not known of one version. Throws a coded error when the service does not answer.
   * `now`: ms since 1970.
   */
  learn(question: FixQuestion, now: number, signal: AbortSignal): Promise<void>;
}

/** A lock across processes. It expires when its holder dies. */
export interface Lock {
  /**
   * Waits for the lock, runs `work` and releases the lock. It is renewed while `work` runs; when it is lost anyway, the
   * signal passed to `work` aborts.
   */
  hold<T>(name: string, work: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T>;
}

/** The scorecards of source projects, once for the fleet and at most 20,000 of them. Ids are in lower case. */
export interface ProjectScores {
  /** Reads in the order of the ids; `undefined` for a project that was never looked up. */
  read(ids: readonly string[]): Promise<readonly (ProjectScore | undefined)[]>;
  store(entries: readonly (readonly [id: string, score: ProjectScore])[]): Promise<void>;
  ids(): Promise<readonly string[]>;
}

/** A rate limit of requests to one service, shared by all its callers. */
export interface RequestBudget {
  /** Resolves when one more request may be sent; rejects with the signal's reason, or when the budget cannot be read. */
  take(signal?: AbortSignal): Promise<void>;
  /** Stops all requests for `ms`, as the service asked. A shorter pause does not end a longer one. */
  pause(ms: number): Promise<void>;
}

/** Package versions that the index had at some time, for any target. Each is identified by the key of its look-up. */
export interface SeenVersions {
  add(keys: readonly string[]): Promise<void>;
  /** Returns for each key, in order, whether it was added. Keys that were added long ago may be forgotten. */
  has(keys: readonly string[]): Promise<readonly boolean[]>;
}
