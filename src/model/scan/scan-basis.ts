import { z } from 'zod';
import type { ValueOf } from '../stored/value-of.ts';
import { severitySchema } from './finding.ts';
import { OUTCOMES } from './outcome.ts';

/** Numbers of findings by severity. */
export const severityCountsSchema = z.record(severitySchema, z.number());

/** The counts of a scan. Every locked package is in exactly one of `outcomes`. */
export type ScanCounts = ValueOf<typeof scanCountsSchema>;

export const scanCountsSchema = z.object({
  lockfiles: z.number(),
  packages: z.number(),
  outcomes: z.record(z.enum(OUTCOMES), z.number()),
  /** Findings that alert. */
  severities: severityCountsSchema,
  /** Findings that are notes. */
  notes: z.number(),
  /** Findings that are suppressed; absent when there are none. */
  suppressed: z.number().exactOptional(),
});

/** The input of a scan: its lockfiles with their companions, the labels of its target and the settings of the worker. */
export type ScanInput = ValueOf<typeof scanInputSchema>;

export const scanInputSchema = z.object({
  /** SHA-256 of all of them, hex. */
  hash: z.string(),
  /** When the packages were looked up; milliseconds since 1970. */
  readAt: z.number(),
});

/** The input that a target's state was judged from. A scan of the same input gives the same findings while its facts are fresh. */
export type ScanBasis = ValueOf<typeof scanBasisSchema>;

export const scanBasisSchema = scanInputSchema.extend({ counts: scanCountsSchema });
