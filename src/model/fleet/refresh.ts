import { z } from 'zod';
import type { ValueOf } from '../stored/value-of.ts';

/** What one part of a refresh looked up. */
export type RefreshedPart = ValueOf<typeof refreshedPartSchema>;

export const refreshedPartSchema = z.object({
  /** Package versions or advisories that the service answered. */
  answered: z.number(),
  /** Of these: the service does not have them, and they were never known. */
  unknown: z.number(),
  /** Answers that differ from what was known. */
  changed: z.number(),
  /** Those without an answer: what was known of them stays. */
  failed: z.number(),
  /** Why the first of them failed. */
  reason: z.string().exactOptional(),
  /** Of those that failed: not known to be malformed, so that the service gave no answer about them. */
  unanswered: z.number(),
  /** Keys of answers that no longer state what was known. `finish-refresh` decides whether the service lost its data. */
  lost: z.array(z.string()),
  /** Numbers of records that still state what they stated, by group. */
  kept: z.record(z.string(), z.number()).exactOptional(),
  /** True when another refresh runs in place of this one. */
  superseded: z.boolean().exactOptional(),
});

/** A person's word that what the service no longer states is corrected, and not lost. */
export type AcceptedLoss = ValueOf<typeof acceptedLossSchema>;

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
   * What the service no longer states, when it seems to have lost its data: the number of subjects, of how many, and which statements
   * (`NPM advisories`). `accepted`: the next refresh of everything believes as many.
   */
  dataLoss: z
    .object({
      lost: z.number(),
      compared: z.number(),
      of: z.array(z.string()).exactOptional(),
      accepted: acceptedLossSchema.exactOptional(),
    })
    .exactOptional(),
  /** What it believed because a person accepted it. */
  believed: acceptedLossSchema.extend({ lost: z.number(), of: z.array(z.string()) }).exactOptional(),
});
