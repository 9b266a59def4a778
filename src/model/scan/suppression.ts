import { z } from 'zod';
import type { ValueOf } from '../stored/kind.ts';

/** The places where suppressions are written: `lockhound.yaml`, `.lockhound.yaml` of a target, `lockhound ignore`, or a VEX document. */
export const SUPPRESSION_SOURCES = ['configuration', 'target', 'command', 'vex'] as const;

/** Findings that must not alert. A finding has to fit every part of the scope that is present. */
export type Suppression = ValueOf<typeof suppressionSchema>;

export const suppressionSchema = z.object({
  /** Names it in reports: `lockhound.yaml suppressions[2]`, `web/.lockhound.yaml suppressions[0]`, `ignore 3f2a9c01`. */
  id: z.string(),
  source: z.enum(SUPPRESSION_SOURCES),
  reason: z.string(),
  author: z.string().exactOptional(),
  /** Id of the target; `*` matches any text. */
  target: z.string().exactOptional(),
  /** Labels of the target, each with its value; `*` matches any text. */
  labels: z.record(z.string(), z.string()).exactOptional(),
  package: z
    .object({
      /** purl type. */
      ecosystem: z.string(),
      /** As the ecosystem writes it; `*` matches any text. */
      name: z.string(),
      /** Exactly this version; absent: see `versions`. */
      version: z.string().exactOptional(),
      /** A range or one version, in the notation of the ecosystem; absent: all. */
      versions: z.string().exactOptional(),
    })
    .exactOptional(),
  /** Ids or aliases: one of them has to be a name of the finding's advisory. */
  advisories: z.array(z.string()).exactOptional(),
  rule: z.string().exactOptional(),
  /** Path of the lockfile; `*` matches any text, unless its source is the target. Every location of the finding has to be suppressed. */
  path: z.string().exactOptional(),
  /** RFC 3339: when a statement of a VEX document was made; absent: it is not known. */
  statedAt: z.string().exactOptional(),
  /** A statement of a VEX document that the findings count: it suppresses nothing, and overrules statements of these documents. */
  overrules: z.literal(true).exactOptional(),
  /** Whether it is meant for all packages; without it, a package or an advisory is needed. */
  all: z.literal(true).exactOptional(),
  /** RFC 3339; from then on it suppresses nothing. */
  expires: z.string().exactOptional(),
});

/** Why a finding does not alert. */
export type Suppressed = ValueOf<typeof suppressedSchema>;

export const suppressedSchema = z.object({
  /** Id of the suppression. */
  by: z.string(),
  source: z.enum(SUPPRESSION_SOURCES),
  reason: z.string(),
  author: z.string().exactOptional(),
  /** RFC 3339: when the finding opens again. */
  expires: z.string().exactOptional(),
});

/** A suppression for a target that suppresses none of its findings, and why. */
export type UnusedSuppression = ValueOf<typeof unusedSuppressionSchema>;

export const unusedSuppressionSchema = z.object({ id: z.string(), reason: z.string() });

/** A suppression that a command added. A removed one stays as the record of who removed it. */
export type StoredSuppression = ValueOf<typeof storedSuppressionSchema>;

export const storedSuppressionSchema = z.object({
  suppression: suppressionSchema,
  /** RFC 3339. */
  addedAt: z.string(),
  /** The version of the VEX document that added or removed it: RFC 3339, and its number. */
  issue: z.object({ at: z.string().exactOptional(), version: z.number().exactOptional() }).exactOptional(),
  removed: z
    .object({ at: z.string(), author: z.string(), reason: z.string().exactOptional() })
    .exactOptional(),
});

/** A suppression for the whole fleet with its effect. */
export interface ListedSuppression
  extends Suppression,
    Partial<Pick<StoredSuppression, 'addedAt' | 'removed'>> {
  /** Number of open findings that it suppresses. */
  readonly findings: number;
  readonly expired: boolean;
}
