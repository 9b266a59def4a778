import { z } from 'zod';
import type { FixPlan, Unadvised } from '../advice/fix-plan.ts';
import { judgedImageSchema } from '../image/image.ts';
import type { ScanComparison } from '../review/scan-comparison.ts';
import type { ValueOf } from '../stored/kind.ts';
import { changeSchema, scanCountsSchema, severityCountsSchema, targetSchema } from './change.ts';
import { findingSchema } from './finding.ts';
import { GAP_KINDS, type Gap } from './gap.ts';
import type { Inventory } from './inventory.ts';
import { unusedSuppressionSchema } from './suppression.ts';

const gapSchema: z.ZodType<Gap> = z.object({
  kind: z.enum(GAP_KINDS),
  subject: z.string(),
  reason: z.string(),
});

/** The result of `judge-scan`. @interface */
export type Verdict = ValueOf<typeof verdictSchema>;

export const verdictSchema = z.object({
  scan: z.string(),
  target: targetSchema,
  requestedAt: z.string(),
  findings: z.array(findingSchema),
  changes: z.array(changeSchema),
  gaps: z.array(gapSchema),
  /** False when a gap may hide a finding: the scan then resolves only findings that are provably gone. */
  complete: z.boolean(),
  /** True when the scan named only some of the target's lockfiles. */
  partial: z.boolean(),
  /** Open findings of the target after this scan. */
  open: severityCountsSchema,
  /** Number of open findings that the scan neither found nor resolved. */
  kept: z.number(),
  counts: scanCountsSchema,
  /** Suppressions for this target that suppress nothing. */
  unusedSuppressions: z.array(unusedSuppressionSchema).exactOptional(),
  /** True when a newer scan of the target was judged before this one: it then changes nothing. */
  superseded: z.boolean(),
  /** The image that the scan named, and its base. */
  image: judgedImageSchema.exactOptional(),
  /** Indexes in `changes`, by route. */
  routed: z.record(z.string(), z.array(z.number())).exactOptional(),
});

/** All results of a scan: the packages of the lockfiles, and the verdict on them. */
export interface ScanReport {
  readonly inventory: Inventory;
  readonly verdict: Verdict;
  /** How many alerts filters left out of `verdict`. */
  readonly leftOut?: number;
  /** The comparison with a commit or an earlier report, if one was requested. */
  readonly comparison?: ScanComparison;
  /** The times at which the oldest and the newest of the answers were looked up, RFC 3339; present when nothing was requested. */
  readonly offline?: { readonly oldest: string; readonly newest: string };
  /** The computed advice: changes of each lockfile, and packages without advice, with the reason. */
  readonly advice?: { readonly plans: readonly FixPlan[]; readonly unadvised: readonly Unadvised[] };
}
