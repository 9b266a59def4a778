import { z } from 'zod';
import { pastScanSchema, releaseStateSchema, targetLockfileSchema } from '../fleet/target-summary.ts';
import { imageStateSchema } from '../image/image.ts';
import type { ValueOf } from '../stored/kind.ts';
import { findingSchema, severitySchema } from './finding.ts';
import { OUTCOMES } from './outcome.ts';
import { RATED_SEVERITIES } from './severity.ts';
import { TRANSITIONS } from './transition.ts';

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

/** A repository, a service or an image that is watched. */
export type Target = ValueOf<typeof targetSchema>;

export const targetSchema = z.object({
  id: z.string(),
  labels: z.record(z.string(), z.string()),
});

/** A lockfile in job data: its content is in the blob store under its hash. */
export interface ContentReference {
  /** Path relative to the target's root, with forward slashes. */
  readonly path: string;
  /** SHA-256 of the uncompressed content, hex. */
  readonly sha256: string;
  /** Uncompressed size in bytes. */
  readonly bytes: number;
  /** Name of the format when the producer forces one; otherwise detected. */
  readonly format?: string;
}

export const transitionSchema = z.enum(TRANSITIONS);

/**
 * How a finding of a target's first scan was announced: `summary` (with the others, in one alert) or `none` (not at
 * all). Absent for a finding that is reported individually.
 */
export type Announcement = z.infer<typeof announcementSchema>;

const announcementSchema = z.enum(['summary', 'none']);

export const changeSchema = z.object({
  transition: transitionSchema,
  finding: findingSchema,
  /** For `worsened` the severity before; for `resolved` its worst severity, when that is worse than the last one. */
  previousSeverity: severitySchema.exactOptional(),
  /** For `opened` and `resolved`: the finding is not reported individually. */
  announced: announcementSchema.exactOptional(),
  /** RFC 3339: since when it was open, for `worsened`, `disputed` and `resolved`; when it opened first, for `reopened`. */
  since: z.string().exactOptional(),
  /** Why it changed, where the finding does not show it: the end of a suppression. */
  reason: z.string().exactOptional(),
  /** True for `suppressed` and `resolved` when the finding was suppressed since it opened: no alert has named it. */
  unreported: z.boolean().exactOptional(),
  /** The values of `match.fixable` by which routes get it; absent where no route has that condition. */
  fixable: z.array(z.boolean()).exactOptional(),
  /** True for a finding that changed before its fix was known: only routes with `match.fixable` get it now. */
  isLate: z.boolean().exactOptional(),
});

/** A transition of a finding between two scans of a target. @interface */
export type Change = ValueOf<typeof changeSchema>;

/** The stored state of a target after its last judged scan. */
export type TargetState = ValueOf<typeof targetStateSchema>;

/** A finding as it is stored between scans. */
export type TrackedFinding = TargetState['findings'][number];

/** Parts of a target that no scan could see yet. */
export type FirstScanState = Exclude<TargetState['firstScan'], undefined>;

export const targetStateSchema = z.object({
  /** Higher after each judged scan; a write names the revision that it replaces. */
  revision: z.number(),
  scan: z.string(),
  /** When the newest judged scan was requested. For each lockfile, an older scan never replaces a newer one. */
  requestedAt: z.string(),
  /** The scans that named only some of the lockfiles since the last one that named all; absent without any. */
  parts: z
    .object({
      /** `requestedAt` of the last scan that named all; absent when there was none. */
      full: z.string().exactOptional(),
      /** By path of a lockfile, `requestedAt` of the last partial scan that named it. */
      lockfiles: z.record(z.string(), z.string()),
    })
    .exactOptional(),
  findings: z.array(
    z.object({
      finding: findingSchema,
      status: z.enum(['open', 'resolved']),
      /** RFC 3339 times of the scans that saw the transitions. */
      openedAt: z.string(),
      changedAt: z.string(),
      /** The worst severity since it opened, when the current one is lower. */
      worst: z.enum(RATED_SEVERITIES).exactOptional(),
      /** Removed when it worsens or reopens: it is then reported individually. */
      announced: announcementSchema.exactOptional(),
      /** True when it was suppressed since it opened: no alert has named it. */
      unreported: z.boolean().exactOptional(),
      /** The denials of sources that were sent since the finding opened, such as `osv withdrawn`. Absent: none. */
      disputes: z.array(z.string()).exactOptional(),
      /** The alerts of routes with `match.fixable` about it; absent without such routes. */
      fixRoutes: z
        .object({
          /** The values of `match.fixable` whose routes got it. */
          notified: z.array(z.boolean()),
          /** RFC 3339: since when its fix is looked up, and when that was not known last. */
          askedAt: z.string().exactOptional(),
          lookedAt: z.string().exactOptional(),
          /** True when a route took it (`take: first`): no other gets it later. */
          taken: z.boolean().exactOptional(),
        })
        .exactOptional(),
      /** When it opened for the first time, for one that reopened. */
      firstSeenAt: z.string().exactOptional(),
      /** When a scan found it last, for one that the last scan did not find. */
      lastSeenAt: z.string().exactOptional(),
    }),
  ),
  /** The first scan; present while parts of the target have been hidden since then. */
  firstScan: z
    .object({
      /** `requestedAt` of the first scan. */
      since: z.string(),
      /** Paths of lockfiles and purls; `all` where they are too many, or not known. */
      hidden: z.union([z.array(z.string()), z.literal('all')]),
    })
    .exactOptional(),
  /** RFC 3339: when the first suppression of an open finding expires, and the target is judged again. */
  dueAt: z.string().exactOptional(),
  /** True when the last scan could not see everything. */
  incomplete: z.boolean().exactOptional(),
  /** By schedule, `requestedAt` of the last verdict on the source of the target; no scan of lockfiles changes it. */
  sources: z.record(z.string(), z.string()).exactOptional(),
  /** The release, when the target is one. */
  release: releaseStateSchema.exactOptional(),
  /** The image of a target that is a container image. */
  image: imageStateSchema.exactOptional(),
  /** The basis; present when the last scan named all lockfiles and could find out everything. */
  basis: scanBasisSchema.exactOptional(),
  /** The lockfiles that the target has, by path. Absent in states that were written before there was a fleet. */
  lockfiles: z.array(targetLockfileSchema).exactOptional(),
  /** Versions that fixed findings, the newest fix first. */
  fixed: z.array(fixedVersionSchema).exactOptional(),
  /** The last scans, newest first. */
  history: z.array(pastScanSchema).exactOptional(),
  /** Hash of all steps that told something of the target, in order; absent before the first. Ids of its next alerts depend on it. */
  told: z.string().exactOptional(),
});
