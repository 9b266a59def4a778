import { z } from 'zod';
import type { ValueOf } from '../stored/value-of.ts';

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
