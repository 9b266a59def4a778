import { z } from 'zod';
import type { NotifiedChange } from '../alert/notification.ts';
import type { Advisory, CollectedAdvisories } from '../scan/advisory.ts';
import { type Change, type TargetState, TRANSITIONS, type TrackedFinding } from '../scan/change.ts';
import type { DependencyGraph, ExpandedDependencies } from '../scan/dependency-graph.ts';
import { type Finding, RATED_SEVERITIES, SEVERITIES } from '../scan/finding.ts';
import type { Inventory, ResolvedPackage } from '../scan/inventory.ts';
import { OUTCOMES, type VersionRecordSummary } from '../scan/resolution.ts';
import type { ScanCounts } from '../scan/scan-basis.ts';
import type { Target } from '../scan/target.ts';
import { GAP_KINDS, type Gap, type Verdict } from '../scan/verdict.ts';
import type { VersionKey } from '../scan/version-key.ts';

/*
 * The annotations hold each schema against its interface. Unknown fields are allowed: a newer release may add them without
 * a new version.
 */

const texts = z.array(z.string());
const count = z.number();
const ratedSeverity = z.enum(RATED_SEVERITIES);
export const severity = z.enum(SEVERITIES);
export const transition = z.enum(TRANSITIONS);
const announced = z.enum(['summary', 'none']).exactOptional();

export const severityCounts = z.record(severity, count);
export const transitionCounts = z.record(transition, count);

export const target: z.ZodType<Target> = z.object({
  id: z.string(),
  labels: z.record(z.string(), z.string()),
});

const finding: z.ZodType<Finding> = z.object({
  fingerprint: z.string(),
  rule: z.string(),
  level: z.enum(['note', 'alert']),
  severity,
  countsAs: ratedSeverity.exactOptional(),
  title: z.string(),
  package: z.object({
    ecosystem: z.string(),
    name: z.string(),
    version: z.string(),
    purl: z.string(),
    direct: z.boolean().optional(),
    groups: texts,
  }),
  locations: z.array(z.object({ path: z.string(), line: z.number().exactOptional(), dependencyPath: texts })),
  advisory: z
    .object({
      id: z.string(),
      aliases: texts,
      title: z.string(),
      url: z.string(),
      score: z.number().exactOptional(),
      vector: z.string().exactOptional(),
    })
    .exactOptional(),
  issue: z.string().exactOptional(),
  advice: z.string().exactOptional(),
});

const changeFields = { transition, finding, previousSeverity: severity.exactOptional(), announced };
const change: z.ZodType<Change> = z.object(changeFields);
export const notifiedChange: z.ZodType<NotifiedChange> = z.object({
  ...changeFields,
  target: z.string().exactOptional(),
});

const trackedFinding: z.ZodType<TrackedFinding> = z.object({
  finding,
  status: z.enum(['open', 'resolved']),
  openedAt: z.string(),
  changedAt: z.string(),
  worst: ratedSeverity.exactOptional(),
  announced,
});

const scanCounts: z.ZodType<ScanCounts> = z.object({
  lockfiles: count,
  packages: count,
  outcomes: z.record(z.enum(OUTCOMES), count),
  severities: severityCounts,
  notes: count,
});
const scanInput = { hash: z.string(), readAt: count };

export const targetState: z.ZodType<TargetState> = z.object({
  revision: count,
  scan: z.string(),
  requestedAt: z.string(),
  parts: z
    .object({ full: z.string().exactOptional(), lockfiles: z.record(z.string(), z.string()) })
    .exactOptional(),
  findings: z.array(trackedFinding),
  firstScan: z.object({ since: z.string(), hidden: z.union([texts, z.literal('all')]) }).exactOptional(),
  incomplete: z.boolean().exactOptional(),
  known: z.object({ at: z.string(), hashes: z.array(z.number()) }).exactOptional(),
  basis: z.object({ ...scanInput, counts: scanCounts }).exactOptional(),
});

const gap: z.ZodType<Gap> = z.object({ kind: z.enum(GAP_KINDS), subject: z.string(), reason: z.string() });

export const verdict: z.ZodType<Verdict> = z.object({
  scan: z.string(),
  target,
  requestedAt: z.string(),
  findings: z.array(finding),
  changes: z.array(change),
  gaps: z.array(gap),
  complete: z.boolean(),
  partial: z.boolean(),
  open: severityCounts,
  kept: count,
  counts: scanCounts,
  superseded: z.boolean(),
  routed: z.record(z.string(), z.array(count)).exactOptional(),
});

const versionKey: z.ZodType<VersionKey> = z.object({
  system: z.enum(['GO', 'RUBYGEMS', 'NPM', 'CARGO', 'MAVEN', 'PYPI', 'NUGET']),
  name: z.string(),
  version: z.string(),
});

export const versionRecord: z.ZodType<VersionRecordSummary> = z.object({
  versionKey,
  publishedAt: z.string().exactOptional(),
  isDefault: z.boolean(),
  isDeprecated: z.boolean(),
  deprecatedReason: z.string().exactOptional(),
  licenses: texts,
  advisoryIds: texts,
});

const url = z.string();
const resolvedPackage: z.ZodType<ResolvedPackage> = z.object({
  id: z.string(),
  ecosystem: z.string(),
  name: z.string(),
  version: z.string(),
  purl: z.string(),
  direct: z.boolean().optional(),
  groups: texts,
  integrity: z.array(
    z.object({ algorithm: z.string(), value: z.string(), encoding: z.enum(['base64', 'hex']) }),
  ),
  source: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('registry'), url: url.exactOptional() }),
    z.object({ kind: z.literal('git'), url, commit: z.string().exactOptional() }),
    z.object({ kind: z.literal('path'), path: z.string() }),
    z.object({ kind: z.literal('url'), url }),
  ]),
  line: z.number().optional(),
  dependencies: texts.optional(),
  resolution: z.object({
    outcome: z.enum(OUTCOMES),
    reason: z.string().exactOptional(),
    seenBefore: z.boolean().exactOptional(),
    record: versionRecord.exactOptional(),
  }),
});

export const inventory: z.ZodType<Inventory> = z.object({
  lockfiles: z.array(
    z.object({
      path: z.string(),
      sha256: z.string(),
      format: z.string(),
      packages: z.array(resolvedPackage),
      problems: z.array(
        z.object({
          kind: z.enum(['unread', 'unclear']),
          line: z.number().optional(),
          message: z.string(),
        }),
      ),
    }),
  ),
  unread: z.array(
    z.object({
      path: z.string(),
      sha256: z.string().exactOptional(),
      error: z.object({ code: z.string(), message: z.string() }),
    }),
  ),
  forgotten: z.object({ lost: count, compared: count }).exactOptional(),
  input: z.object(scanInput).exactOptional(),
  unchanged: z.object({ target: z.string(), counts: scanCounts }).exactOptional(),
});

export const advisory: z.ZodType<Advisory> = z.object({
  id: z.string(),
  url: z.string(),
  title: z.string(),
  aliases: texts,
  score: z.number().exactOptional(),
  vector: z.string().exactOptional(),
  problems: texts.exactOptional(),
});

export const dependencyGraph: z.ZodType<DependencyGraph> = z.object({
  nodes: z.array(z.object({ versionKey, relation: z.enum(['SELF', 'DIRECT', 'INDIRECT']) })),
  edges: z.array(z.object({ from: count, to: count })),
  errors: texts,
});

export const collectedAdvisories: z.ZodType<CollectedAdvisories> = z.object({
  advisories: z.array(advisory),
  failed: z.array(z.object({ id: z.string(), reason: z.string() })),
});

export const expandedDependencies: z.ZodType<ExpandedDependencies> = z.object({
  graphs: z.array(z.object({ versionKey, graph: dependencyGraph })),
  failed: z.array(z.object({ versionKey, reason: z.string() })),
});
