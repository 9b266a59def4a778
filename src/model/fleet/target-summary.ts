import { z } from 'zod';
import { exceptionSchema } from '../scan/exception.ts';
import { SEVERITIES } from '../scan/severity.ts';
import { suppressionSchema } from '../scan/suppression.ts';
import { TRANSITIONS } from '../scan/transition.ts';
import type { ValueOf } from '../stored/kind.ts';

/** A target in the list of the fleet: what lists and whole-fleet passes need without reading its state. */
export type TargetSummary = ValueOf<typeof targetSummarySchema>;

export const targetSummarySchema = z.object({
  labels: z.record(z.string(), z.string()),
  lockfiles: z.array(z.object({ path: z.string(), inventory: z.string().exactOptional() })),
  /** Number of packages of its lockfiles, as each was read last. */
  packages: z.number(),
  /** Open findings by severity, without notes; severities without any are absent. */
  open: z.partialRecord(z.enum(SEVERITIES), z.number()),
  openByRule: z.record(z.string(), z.partialRecord(z.enum(SEVERITIES), z.number())),
  /** Open findings that are suppressed; absent when there are none. */
  suppressed: z.number().exactOptional(),
  /** RFC 3339: when its newest judged scan was requested. */
  requestedAt: z.string(),
  incomplete: z.boolean().exactOptional(),
  /** See `ReleaseState`. */
  supportedUntil: z.string().exactOptional(),
});

/** A lockfile of a target as its state stores it. The packages are in the fleet's inventories, which equal lockfiles share. */
export type TargetLockfile = ValueOf<typeof targetLockfileSchema>;

export const targetLockfileSchema = z.object({
  path: z.string(),
  /** SHA-256 of the content that was read last, hex. Absent when it was never read. */
  sha256: z.string().exactOptional(),
  /** Key of its inventory: SHA-256, hex. Absent when it was never read. */
  inventory: z.string().exactOptional(),
  /** Number of its packages when it was read last. */
  packages: z.number().exactOptional(),
  /** Suppressions of the `.lockhound.yaml` beside it. */
  suppressions: z.array(suppressionSchema).exactOptional(),
  /** Its owners by the `.lockhound.yaml` beside it, or by CODEOWNERS. */
  owners: z.array(z.string()).exactOptional(),
  /** The exceptions in the files beside it. */
  exceptions: z.array(exceptionSchema).exactOptional(),
  /** Why the last scan could not read it. */
  unread: z.object({ code: z.string(), message: z.string() }).exactOptional(),
});

/** The stored values that a release has and other targets do not have. */
export type ReleaseState = ValueOf<typeof releaseStateSchema>;

export const releaseStateSchema = z.object({
  /** SHA-256, hex, of its lockfiles with their companions. */
  digest: z.string(),
  /** The last day on which it is judged with the fleet, as `2028-01-01`, in UTC. Absent: there is no such day. */
  supportedUntil: z.string().exactOptional(),
});

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
