import type { VersionKey } from './version-key.ts';

/**
 * How a locked package was resolved (promise 1): `resolved` (the index knows the version), `missing` (it has no such
 * version), `unsupported` (an ecosystem or source that the index cannot have), `private`, or `failed`. With a local data set
 * instead of the index also `uncovered`: it has no version of that package.
 */
export const OUTCOMES = ['resolved', 'missing', 'unsupported', 'private', 'failed', 'uncovered'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** The outcome of one package, with the record of the index where there is one. */
export interface Resolution {
  readonly outcome: Outcome;
  /** Why, for every outcome except `resolved`, and what to do where an action helps. */
  readonly reason?: string;
  /** For `missing`: whether the index had the version in an earlier look-up of this installation. */
  readonly seenBefore?: boolean;
  readonly record?: VersionRecordSummary;
}

/** The part of a Version object (package-insights API, "Version object") that judgements read. */
export interface VersionRecordSummary {
  /** Canonical key; may differ from the requested one. */
  readonly versionKey: VersionKey;
  /** RFC 3339; absent when the package authority does not report it. */
  readonly publishedAt?: string;
  readonly isDefault: boolean;
  readonly isDeprecated: boolean;
  /** The registry's deprecation message, where the service returns it. */
  readonly deprecatedReason?: string;
  /** SPDX 2.1 expressions. */
  readonly licenses: readonly string[];
  /** Advisories that affect this version directly. */
  readonly advisoryIds: readonly string[];
}
