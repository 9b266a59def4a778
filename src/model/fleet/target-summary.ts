import { z } from 'zod';
import { SEVERITIES } from '../scan/severity.ts';
import type { ValueOf } from '../stored/value-of.ts';

/** A target in the list of the fleet: what lists and whole-fleet passes need without reading its state. */
export type TargetSummary = ValueOf<typeof targetSummarySchema>;

export const targetSummarySchema = z.object({
  labels: z.record(z.string(), z.string()),
  lockfiles: z.array(z.object({ path: z.string(), inventory: z.string().exactOptional() })),
  packages: z.number(),
  /** Open findings by severity, without notes; severities without any are absent. */
  open: z.partialRecord(z.enum(SEVERITIES), z.number()),
  /** Open findings by rule and severity. */
  openByRule: z.record(z.string(), z.partialRecord(z.enum(SEVERITIES), z.number())),
  /** Open findings that are suppressed; absent when there are none. */
  suppressed: z.number().exactOptional(),
  /** RFC 3339: when its newest judged scan was requested. */
  requestedAt: z.string(),
  incomplete: z.boolean().exactOptional(),
});
