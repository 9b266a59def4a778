import type { VersionKey } from './version-key.ts';

/**
 * How a locked package was resolved (promise 1): `resolved` (the index knows the version), `missing` (it has no such
 * version), `unsupported` (an ecosystem or source the index cannot hold), `private`, or `failed`. One more where a local
 * data set stands for the index: `uncovered` (it holds nothing of that package, which says nothing about it).
 */
export const OUTCOMES = ['resolved', 'missing', 'unsupported', 'private', 'failed', 'uncovered'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** The outcome of one package, with what the index says of it when it says anything. */
export interface Resolution {
  readonly outcome: Outcome;
  /** Why, for every outcome but `resolved`; what to do about it where something can be done. */
  readonly reason?: string;
  /** For `missing`: whether the index had the version before, when any target of this installation asked. */
  readonly seenBefore?: boolean;
  readonly record?: VersionRecordSummary;
}

/** The part of a Version object (package-insights API, "Version object") that judgements read. */
export interface VersionRecordSummary {
  /** Canonical key; may differ from what was asked for. */
  readonly versionKey: VersionKey;
  /** RFC 3339; absent when the package authority does not report it. */
  readonly publishedAt?: string;
  readonly isDefault: boolean;
  readonly isDeprecated: boolean;
  /** The registry's deprecation message, where the service gives it. */
  readonly deprecatedReason?: string;
  /** SPDX 2.1 expressions. */
  readonly licenses: readonly string[];
  /** Advisories that affect this version directly. */
  readonly advisoryIds: readonly string[];
}
