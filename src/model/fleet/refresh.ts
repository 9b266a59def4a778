import { z } from 'zod';
import type { ValueOf } from '../stored/value-of.ts';

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
