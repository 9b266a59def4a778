import { z } from 'zod';
import { SEVERITIES } from '../scan/severity.ts';
import { TRANSITIONS } from '../scan/transition.ts';
import type { ValueOf } from '../stored/kind.ts';

/** The changes of one scan of one target, in short, for the log of the fleet. */
export type LoggedChanges = ValueOf<typeof loggedChangesSchema>;

export const loggedChangesSchema = z.object({
  scan: z.string(),
  target: z.string(),
  labels: z.record(z.string(), z.string()),
  /** RFC 3339: when the scan was requested. */
  requestedAt: z.string(),
  /** Worst first. */
  changes: z.array(
    z.object({
      transition: z.enum(TRANSITIONS),
      fingerprint: z.string(),
      rule: z.string(),
      level: z.enum(['note', 'alert']),
      severity: z.enum(SEVERITIES),
      purl: z.string(),
      title: z.string(),
      /** Id of the advisory, where there is one. */
      advisory: z.string().exactOptional(),
    }),
  ),
  /** Number of further changes that are not listed. */
  omitted: z.number().exactOptional(),
});
