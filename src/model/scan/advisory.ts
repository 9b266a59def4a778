import { z } from 'zod';
import type { ValueOf } from '../stored/value-of.ts';

/** An advisory from the package-insights API ("Advisory object"). */
export type Advisory = ValueOf<typeof advisorySchema>;

export const advisorySchema = z.object({
  /** OSV identifier. */
  id: z.string(),
  url: z.string(),
  title: z.string(),
  /** Other identifiers of the same issue, CVEs among them. */
  aliases: z.array(z.string()),
  /** CVSS base score in [0,10]: that of the vector, else the one that the advisory states. Absent (not 0) without both. */
  score: z.number().exactOptional(),
  /** CVSS vector of any version from which a score can be computed. */
  vector: z.string().exactOptional(),
  /** Parts of the answer that could not be used, each in a few words. Absent when all were used. */
  problems: z.array(z.string()).exactOptional(),
});

/** The result of one `collect-advisories` job. */
export type CollectedAdvisories = ValueOf<typeof collectedAdvisoriesSchema>;

export const collectedAdvisoriesSchema = z.object({
  advisories: z.array(advisorySchema),
  failed: z.array(z.object({ id: z.string(), reason: z.string() })),
});
