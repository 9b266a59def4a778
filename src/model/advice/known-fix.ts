import { z } from 'zod';
import type { ValueOf } from '../stored/value-of.ts';

/** The known fixes of one package version, for every target that has it. */
export type KnownFix = ValueOf<typeof knownFixSchema>;

/** How a direct dependency comes to bring only good versions. */
export type KnownWay = KnownFix['ways'][string];

export const knownFixSchema = z.object({
  /** ms since 1970. */
  computedAt: z.number(),
  /** The smallest later version that is good; absent when no later version is. */
  version: z.string().exactOptional(),
  breaking: z.boolean().exactOptional(),
  /** Why there is no good version, or why that is not known. */
  reason: z.string().exactOptional(),
  /** Whether it is not known if a later version is good. */
  isUnknown: z.boolean().exactOptional(),
  /** Later versions that were looked at, with their advisories. At most 5. */
  candidates: z.array(
    z.object({ version: z.string(), advisories: z.array(z.string()), reason: z.string().exactOptional() }),
  ),
  lookedAt: z.number(),
  /** The ways by id of a direct dependency that brings the package (`name@version`). */
  ways: z.record(
    z.string(),
    z.object({
      kind: z.enum(['in-range', 'upgrade-direct', 'none', 'unknown']),
      /** The version of the direct dependency, for `upgrade-direct`. */
      to: z.string().exactOptional(),
      /** Versions of the package that it then brings. */
      brings: z.array(z.string()),
      /** Why there is no fix, or why that is not known. */
      reason: z.string().exactOptional(),
    }),
  ),
});
