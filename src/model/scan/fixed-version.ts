import { z } from 'zod';
import type { ValueOf } from '../stored/value-of.ts';

/** A version that resolved a finding of a target. */
export type FixedVersion = ValueOf<typeof fixedVersionSchema>;

export const fixedVersionSchema = z.object({
  ecosystem: z.string(),
  name: z.string(),
  version: z.string(),
  /** The fixed issue: the id of an advisory, or the name of a rule. */
  issue: z.string(),
  /** Paths of the lockfiles in which it fixed it. */
  paths: z.array(z.string()),
  /** Earlier versions that these had beside it. */
  beside: z.array(z.string()),
  /** When the scan that saw the fix was requested, RFC 3339. */
  at: z.string(),
});
