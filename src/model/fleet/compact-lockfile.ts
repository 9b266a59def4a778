import { z } from 'zod';
import { problemSchema } from '../lockfile/lockfile.ts';
import { OUTCOMES } from '../scan/outcome.ts';
import type { ValueOf } from '../stored/kind.ts';

/**
 * What judging needs of a lockfile beside the ids of its packages, in columns: one entry for each package, in the order of the
 * file. Facts of the service are not part of it, so that equal lockfiles of several targets are stored once.
 */
export type CompactLockfile = ValueOf<typeof compactLockfileSchema>;

export const compactLockfileSchema = z.object({
  format: z.string(),
  problems: z.array(problemSchema),
  /** Position of each package in the list of ids, minus that of the package before it. */
  positions: z.array(z.number()),
  /** `1` direct, `0` not direct, `?` not stated. */
  direct: z.string(),
  /** All combinations of groups, and the combination of each package. */
  groupSets: z.array(z.array(z.string())),
  groups: z.array(z.number()),
  /** Line of each package minus that of the package before it; `null` where it has no line. */
  lines: z.array(z.number().nullable()),
  /** Dependencies as differences of positions in the file, or as ids that the file does not hold; `null` without edges. */
  dependencies: z.array(z.array(z.union([z.number(), z.string()])).nullable()),
  /** By position: ids that are not `name@version`. */
  ids: z.record(z.string(), z.string()),
  /** By position: name, version and purl that differ from those of the identity. */
  spelled: z.record(z.string(), z.tuple([z.string(), z.string(), z.string()])),
  /** By position: outcome and reason of packages that are not looked up. */
  excluded: z.record(z.string(), z.tuple([z.enum(OUTCOMES), z.string()])),
});
