import { z } from 'zod';
import { TRANSITIONS } from '../scan/transition.ts';
import type { ValueOf } from '../stored/value-of.ts';

/** A summary of one of the last scans of a target. */
export type PastScan = ValueOf<typeof pastScanSchema>;

export const pastScanSchema = z.object({
  scan: z.string(),
  /** RFC 3339. */
  requestedAt: z.string(),
  /** Numbers of changes by transition; those that are zero are absent. */
  changes: z.partialRecord(z.enum(TRANSITIONS), z.number()).exactOptional(),
  gaps: z.number().exactOptional(),
  /** True when its lockfiles were those of the scan before. */
  unchanged: z.boolean().exactOptional(),
  /** True when the facts changed and the lockfiles did not: judged by the fleet refresh. */
  refreshed: z.boolean().exactOptional(),
});
