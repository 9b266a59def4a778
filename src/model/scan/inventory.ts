import { z } from 'zod';
import { scannedRevisionSchema } from '../fleet/ledger.ts';
import { releaseStateSchema } from '../fleet/target-summary.ts';
import { scannedImageSchema } from '../image/image.ts';
import { SYSTEMS } from '../lockfile/ecosystem.ts';
import { lockedPackageSchema, problemSchema } from '../lockfile/lockfile.ts';
import type { ValueOf } from '../stored/kind.ts';
import { scanCountsSchema, scanInputSchema } from './change.ts';
import { exceptionSchema } from './exception.ts';
import { claimSchema } from './finding.ts';
import { OUTCOMES } from './outcome.ts';
import { suppressionSchema } from './suppression.ts';

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
  /** Set for an imported advisory: the service does not have it, or was not asked. */
  imported: z.literal(true).exactOptional(),
});

/** The result of one `collect-advisories` job. */
export type CollectedAdvisories = ValueOf<typeof collectedAdvisoriesSchema>;

export const collectedAdvisoriesSchema = z.object({
  advisories: z.array(advisorySchema),
  failed: z.array(z.object({ id: z.string(), reason: z.string() })),
});

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
  /** The status that the registry gives the project, in lower case; absent where it is not known. PyPI: `active`, `archived`, `quarantined`, `deprecated`. */
  projectStatus: z.object({ status: z.string(), reason: z.string().exactOptional() }).exactOptional(),
  /** Set when imported advisories answered: its existence, date, licences and deprecation are not known. */
  advisoriesOnly: z.literal(true).exactOptional(),
  /** Set when the service does not have the version, and imported advisories name it: the service says nothing about it. */
  serviceLacks: z.literal(true).exactOptional(),
  /** Imported advisories about the package of which it is not known whether they affect this version. */
  undecided: z.array(z.string()).exactOptional(),
  /** The statements of two sources about advisories that one of them does not list; absent where they agree. */
  claims: z.array(claimSchema.extend({ id: z.string() })).exactOptional(),
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
  /** The source of the versions, present when imported advisories name them as fixed. */
  from: z.literal('osv').exactOptional(),
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

/** The result of `ingest-lockfiles`: the packages of a target with their outcomes. @interface */
export type Inventory = ValueOf<typeof inventorySchema>;

/** One lockfile of a scan after resolving: every package with its outcome (promise 1). */
export type ResolvedLockfile = Inventory['lockfiles'][number];

export type ResolvedPackage = ResolvedLockfile['packages'][number];

/** A lockfile that could not be read. The scan continues without it. */
export type UnreadLockfile = Inventory['unread'][number];

/** Why a file was not read: a code, and a message that begins with its path. */
export type UnreadError = UnreadLockfile['error'];

export const inventorySchema = z.object({
  lockfiles: z.array(
    z.object({
      path: z.string(),
      sha256: z.string(),
      format: z.string(),
      packages: z.array(
        lockedPackageSchema.extend({
          /** Digest and source are absent in what workers store: only look-ups need them, and they are half of an inventory. */
          integrity: lockedPackageSchema.shape.integrity.exactOptional(),
          source: lockedPackageSchema.shape.source.exactOptional(),
          resolution: resolutionSchema,
        }),
      ),
      problems: z.array(problemSchema),
      /** Suppressions of the `.lockhound.yaml` beside it. */
      suppressions: z.array(suppressionSchema).exactOptional(),
      /** Its owners by the `.lockhound.yaml` beside it, or by CODEOWNERS. */
      owners: z.array(z.string()).exactOptional(),
      /** The exceptions in the files beside it. */
      exceptions: z.array(exceptionSchema).exactOptional(),
    }),
  ),
  unread: z.array(
    z.object({
      /** Ends with `/` for a folder that could not be read. */
      path: z.string(),
      /** SHA-256 of its content; unset when the producer could not read it. */
      sha256: z.string().exactOptional(),
      error: z.object({ code: z.string(), message: z.string() }),
    }),
  ),
  /** The container image that the scan names, for the step after its judgement. */
  image: scannedImageSchema.exactOptional(),
  /** The revision that the lockfiles were read from, where it is known. */
  revision: scannedRevisionSchema.exactOptional(),
  /** The release, when the target is one. */
  release: releaseStateSchema.exactOptional(),
  /** When its packages were looked up; milliseconds since 1970. Absent in a scan that read nothing. */
  readAt: z.number().exactOptional(),
  /** Why imported advisories were older ones when its packages were looked up. */
  outdated: z.string().exactOptional(),
  /** The input; absent when the result of the scan is never reused. */
  input: scanInputSchema.exactOptional(),
  /** Set for a scan of unchanged lockfiles: it repeated the result of the last one, and read nothing. */
  unchanged: z.object({ target: z.string(), counts: scanCountsSchema }).exactOptional(),
});
