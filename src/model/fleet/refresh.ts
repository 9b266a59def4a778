import { z } from 'zod';
import { lossText } from '../losses/evidence.ts';
import type { ValueOf } from '../stored/kind.ts';

/**
 * `all`: every package version and advisory of the fleet. `young`: versions that were published or first seen lately. `listed`: those
 * whose advisories a list of changes names.
 */
export const CADENCES = ['all', 'young', 'listed'] as const;

export type Cadence = (typeof CADENCES)[number];

/** The result of one part of a refresh. */
export type RefreshedPart = ValueOf<typeof refreshedPartSchema>;

export const refreshedPartSchema = z.object({
  /** Package versions or advisories that the service answered. */
  answered: z.number(),
  /** Number of answered ones that the service does not have and that were never known. */
  unknown: z.number(),
  /** Answers that differ from what was known. */
  changed: z.number(),
  /** Package versions or advisories without an answer. The facts about them stay. */
  failed: z.number(),
  /** Why the first of them failed. */
  reason: z.string().exactOptional(),
  /** Number of failed ones that are not known to be malformed: the service gave no answer about them. */
  unanswered: z.number(),
  /** Keys of answers that no longer state what was known. `finish-refresh` decides whether the service lost its data. */
  lost: z.array(z.string()),
  /** Numbers of records that still state what they stated, by group. */
  kept: z.record(z.string(), z.number()).exactOptional(),
  /** True when another refresh runs in place of this one. */
  superseded: z.boolean().exactOptional(),
});

/** A person states that what the service no longer states is corrected, and not lost. */
const acceptedLossSchema = z.object({
  by: z.string(),
  /** RFC 3339. */
  at: z.string(),
});

/** A refresh that ended. */
export type RefreshRecord = ValueOf<typeof refreshRecordSchema>;

export const refreshRecordSchema = z.object({
  refresh: z.string(),
  /** RFC 3339. */
  startedAt: z.string(),
  finishedAt: z.string(),
  packages: z.number(),
  advisories: z.number(),
  changed: z.number(),
  failed: z.number(),
  /** Failed because the service did not answer; of these, what is known may be out of date. */
  unanswered: z.number(),
  reason: z.string().exactOptional(),
  /**
   * The statements that the service no longer makes, when it seems to have lost its data: the number of subjects, of how many, and which statements
   * (`NPM advisories`). `accepted`: the next refresh of everything believes as many.
   */
  dataLoss: z
    .object({
      lost: z.number(),
      compared: z.number(),
      of: z.array(z.string()),
      accepted: acceptedLossSchema.exactOptional(),
    })
    .exactOptional(),
  /** The losses that it believed because a person accepted them. */
  believed: acceptedLossSchema.extend({ lost: z.number(), of: z.array(z.string()) }).exactOptional(),
});

/** The last look-up that the service did not answer. */
export type LookUpFailure = ValueOf<typeof lookUpFailureSchema>;

export const lookUpFailureSchema = z.object({
  /** ms since 1970. */
  at: z.number(),
  reason: z.string(),
});

/**
 * How fresh is what is known of the fleet: the age of the last answer about each package version that a target holds, and about each
 * advisory. Nothing else makes it fresh: no refresh that ended, and no scan that was requested.
 */
export interface Freshness {
  /**
   * The time of the oldest of these answers, ms since 1970. For what was never answered, the time of the first look-up counts.
   * `undefined` when nothing was ever looked up.
   */
  readonly oldest: number | undefined;
  /** The number of versions and advisories whose last answer is older than `watch.staleAfter`. */
  readonly stale: number;
  /** The targets that hold them. */
  readonly staleTargets: ReadonlySet<string>;
  /** The last failed look-up; `undefined` when everything was answered since then. */
  readonly failure: LookUpFailure | undefined;
}

/**
 * Why the service has not answered about everything: the failed look-up or the loss of data, whichever is later; `undefined` when neither
 * is known. `last`: the last refresh that ended.
 */
export function unansweredReason(
  { failure }: Pick<Freshness, 'failure'>,
  last: Pick<RefreshRecord, 'dataLoss' | 'finishedAt'> | undefined,
): string | undefined {
  const { dataLoss, finishedAt = '' } = last ?? {};
  if (dataLoss === undefined || (failure !== undefined && failure.at > Date.parse(finishedAt))) {
    return failure?.reason;
  }
  return lossText(dataLoss);
}

/** The freshness of several shards together. */
export function joinFreshness(shards: readonly Freshness[]): Freshness {
  const times = shards.flatMap(({ oldest }) => oldest ?? []);
  const failures = shards.flatMap(({ failure }) => failure ?? []);
  return {
    oldest: times.length === 0 ? undefined : Math.min(...times),
    stale: shards.reduce((sum, { stale }) => sum + stale, 0),
    staleTargets: new Set(shards.flatMap(({ staleTargets }) => [...staleTargets])),
    failure: failures.toSorted((left, right) => right.at - left.at)[0],
  };
}
