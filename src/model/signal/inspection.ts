import { z } from 'zod';
import type { ValueOf } from '../stored/kind.ts';

/** One trace of a version, with its evidence. */
export type Signal = ValueOf<typeof signalSchema>;

/** The signals of a package version, stored once for the fleet. */
export type Inspection = ValueOf<typeof inspectionSchema>;

const signalSchema = z.object({
  /** Name of the signal, that of its detector; a newer release may have more of them. */
  signal: z.string(),
  /** The kind within the signal, where kinds differ in strength. */
  grade: z.string().exactOptional(),
  /** A description with times: the rest of a sentence that begins with the package and its version. */
  text: z.string(),
  /** The only target that it concerns: its lockfile states what others may not. */
  target: z.string().exactOptional(),
  /** True when it no longer counts by itself, but still as a reason among others. */
  past: z.boolean().exactOptional(),
});

export const inspectionSchema = z.object({
  /** RFC 3339. */
  inspectedAt: z.string(),
  publishedAt: z.string().exactOptional(),
  signals: z.array(signalSchema),
  /** Facts that could not be had, and why. */
  unknown: z.array(z.object({ fact: z.string(), reason: z.string() })),
  /** Since when facts are not known, RFC 3339; absent when all are. */
  incompleteSince: z.string().exactOptional(),
  /** How much of each fact inspections saw at most, by its name: seeing less later is a loss of data. */
  inputs: z.record(z.string(), z.number()).exactOptional(),
  /** Targets that locked the version when it was inspected. */
  targets: z.number().exactOptional(),
  /** Hash of what the version requires, to notice a change without a new version. */
  requirements: z.string().exactOptional(),
});

/** The published scorecard of a source project. */
export type Scorecard = ValueOf<typeof scorecardSchema>;

/** The last look-up of the scorecard of a source project, stored once for the fleet. */
export type ProjectScore = ValueOf<typeof projectScoreSchema>;

const scorecardSchema = z.object({
  /** When it was produced, RFC 3339. */
  date: z.string(),
  /** 0 to 10. */
  overall: z.number(),
  /** Scores from 0 to 10 by name; checks that did not run are absent. */
  checks: z.record(z.string(), z.number()),
});

export const projectScoreSchema = z.object({
  /** When it was looked up last, RFC 3339. */
  checkedAt: z.string(),
  /** The scorecard that later ones are compared with, and the last one; absent for a project without any. */
  reference: scorecardSchema.exactOptional(),
  now: scorecardSchema.exactOptional(),
  /** Since when the last one is much lower than the reference; RFC 3339. */
  fellAt: z.string().exactOptional(),
  /** When it fell or recovered last, RFC 3339. */
  turnedAt: z.string().exactOptional(),
  /** Identities of the versions of the project that were inspected last. */
  packages: z.array(z.string()),
});
