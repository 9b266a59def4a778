import { z } from 'zod';
import { problemSchema } from '../lockfile/lockfile.ts';
import { OUTCOMES } from '../scan/outcome.ts';
import type { ValueOf } from '../stored/kind.ts';

/** A list with an element for each package. zod takes some hundred bytes and a microsecond for each element that it checks. */
function column<Element>(isElement: (value: unknown) => value is Element) {
  return z.custom<readonly Element[]>(
    (value) => Array.isArray(value) && value.every(isElement),
    'a list of another kind',
  );
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}

function isNumberOrNull(value: unknown): value is number | null {
  return value === null || typeof value === 'number';
}

function isEdgeListOrNull(value: unknown): value is readonly (number | string)[] | null {
  return (
    value === null ||
    (Array.isArray(value) && value.every((edge) => typeof edge === 'number' || typeof edge === 'string'))
  );
}

/**
 * The data of a lockfile that judging needs beside the ids of its packages. Each column has one entry for each package, in the order of the
 * file. Facts of the service are not part of it, so that equal lockfiles of several targets are stored once.
 */
export type CompactLockfile = ValueOf<typeof compactLockfileSchema>;

export const compactLockfileSchema = z.object({
  format: z.string(),
  problems: z.array(problemSchema),
  /** Position of each package in the list of ids, minus that of the package before it. */
  positions: column(isNumber),
  /** `1` direct, `0` not direct, `?` not stated. */
  direct: z.string(),
  /** All combinations of groups, and the combination of each package. */
  groupSets: z.array(z.array(z.string())),
  groups: column(isNumber),
  /** Line of each package minus that of the package before it; `null` where it has no line. */
  lines: column(isNumberOrNull),
  /** Dependencies as differences of positions in the file, or as ids that the file does not hold; `null` without edges. */
  dependencies: column(isEdgeListOrNull),
  /** By position: ids that are not `name@version`. */
  ids: z.record(z.string(), z.string()),
  /** By position: name, version and purl that differ from those of the identity. */
  spelled: z.record(z.string(), z.tuple([z.string(), z.string(), z.string()])),
  /** By position: outcome and reason of packages that are not looked up. */
  excluded: z.record(z.string(), z.tuple([z.enum(OUTCOMES), z.string()])),
});
