import { z } from 'zod';
import { SYSTEMS } from '../lockfile/version-key.ts';
import type { ValueOf } from '../stored/value-of.ts';
import { OUTCOMES } from './outcome.ts';

export const versionKeySchema = z.object({
  system: z.enum(SYSTEMS),
  name: z.string(),
  version: z.string(),
});

/** The part of a Version object (package-insights API, "Version object") that judgements read. */
export type VersionRecordSummary = ValueOf<typeof versionRecordSchema>;

export const versionRecordSchema = z.object({
  /** Canonical key; may differ from the requested one. */
  versionKey: versionKeySchema,
  /** RFC 3339; absent when the package authority does not report it. */
  publishedAt: z.string().exactOptional(),
  isDefault: z.boolean(),
  isDeprecated: z.boolean(),
  /** The registry's deprecation message, where the service returns it. */
  deprecatedReason: z.string().exactOptional(),
  /** SPDX 2.1 expressions. */
  licenses: z.array(z.string()),
  /** Advisories that affect this version directly. */
  advisoryIds: z.array(z.string()),
  /** Set when imported advisories answered: its existence, date, licences and deprecation are not known. */
  advisoriesOnly: z.literal(true).exactOptional(),
});

/** The published versions of a package, unordered (package-insights API, "Package object"). */
export type PublishedVersions = ValueOf<typeof publishedVersionsSchema>;

export const publishedVersionsSchema = z.object({
  versions: z.array(
    z.object({
      version: z.string(),
      /** RFC 3339; absent when the package authority does not report it. */
      publishedAt: z.string().exactOptional(),
      isDefault: z.boolean(),
      isDeprecated: z.boolean(),
    }),
  ),
  /** True when a local data set answers, which does not have all versions of the package. */
  isPartial: z.boolean().exactOptional(),
});

/** The outcome of one package, with the record of the index where there is one. */
export type Resolution = ValueOf<typeof resolutionSchema>;

export const resolutionSchema = z.object({
  outcome: z.enum(OUTCOMES),
  /** Why, and what to do where an action helps. For `resolved` only when something of the record is doubted (`model/losses/`). */
  reason: z.string().exactOptional(),
  /** For `missing`: whether the index had the version in an earlier look-up of this installation. */
  seenBefore: z.boolean().exactOptional(),
  record: versionRecordSchema.exactOptional(),
});
