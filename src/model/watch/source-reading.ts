import { z } from 'zod';
import type { ValueOf } from '../stored/value-of.ts';

/** The offer of a source, for a comparison without reading it again. */
export type SourceRevision = Exclude<SourceReading['revision'], undefined>;

/** A lockfile of a source, in the form of job data. */
export type SourceFile = SourceReading['files'][number];

/** A source that was read. `files` has at least one lockfile that could be read. */
export type SourceReading = ValueOf<typeof sourceReadingSchema>;

const content = z.union([
  /** The content is in the blob store under its hash. */
  z.object({ sha256: z.string(), bytes: z.number() }),
  z.object({ unread: z.object({ code: z.string(), message: z.string() }) }),
]);

export const sourceReadingSchema = z.object({
  /** The revision; absent where the source has none, such as a folder. */
  revision: z
    .object({
      /** The commit of a git repository. */
      commit: z.string().exactOptional(),
      /** Validators of an HTTP answer. */
      etag: z.string().exactOptional(),
      lastModified: z.string().exactOptional(),
    })
    .exactOptional(),
  files: z.array(
    z
      .object({
        /** Below the root of the target, with forward slashes. */
        path: z.string(),
        format: z.string().exactOptional(),
        companions: z.array(z.object({ name: z.string() }).and(content)).exactOptional(),
      })
      .and(content),
  ),
});
