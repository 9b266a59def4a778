import { z } from 'zod';
import type { ValueOf } from '../stored/value-of.ts';

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
