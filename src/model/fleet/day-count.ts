import { z } from 'zod';
import { SEVERITIES } from '../scan/severity.ts';
import type { ValueOf } from '../stored/kind.ts';

/** The fleet on one day, by its last count. */
export type DayCount = ValueOf<typeof dayCountSchema>;

export const dayCountSchema = z.object({
  /** In UTC, `YYYY-MM-DD`. */
  day: z.string(),
  targets: z.number(),
  /** Open findings by severity, without notes; severities without any are absent. */
  open: z.partialRecord(z.enum(SEVERITIES), z.number()),
});
