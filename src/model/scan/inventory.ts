import { z } from 'zod';
import { scannedImageSchema } from '../image/image.ts';
import { lockedPackageSchema, problemSchema } from '../lockfile/lockfile.ts';
import type { ValueOf } from '../stored/value-of.ts';
import { resolutionSchema } from './resolution.ts';
import { scanCountsSchema, scanInputSchema } from './scan-basis.ts';
import { suppressionSchema } from './suppression.ts';

/** The result of `ingest-lockfiles`: the packages of a target with their outcomes. */
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
  /** When its packages were looked up; milliseconds since 1970. Absent in a scan that read nothing. */
  readAt: z.number().exactOptional(),
  /** The input; absent when the result of the scan is never reused. */
  input: scanInputSchema.exactOptional(),
  /** Set for a scan of unchanged lockfiles: it repeated the result of the last one, and read nothing. */
  unchanged: z.object({ target: z.string(), counts: scanCountsSchema }).exactOptional(),
});
