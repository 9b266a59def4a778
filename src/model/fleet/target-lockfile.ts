import { z } from 'zod';
import { suppressionSchema } from '../scan/suppression.ts';
import type { ValueOf } from '../stored/value-of.ts';

/** A lockfile of a target as its state stores it. The packages are in the fleet's inventories, which equal lockfiles share. */
export type TargetLockfile = ValueOf<typeof targetLockfileSchema>;

export const targetLockfileSchema = z.object({
  path: z.string(),
  /** SHA-256 of the content that was read last, hex. Absent when it was never read. */
  sha256: z.string().exactOptional(),
  /** Key of its inventory: SHA-256, hex. Absent when it was never read. */
  inventory: z.string().exactOptional(),
  /** Suppressions of the `.lockhound.yaml` beside it. */
  suppressions: z.array(suppressionSchema).exactOptional(),
  /** Why the last scan could not read it. */
  unread: z.object({ code: z.string(), message: z.string() }).exactOptional(),
});
