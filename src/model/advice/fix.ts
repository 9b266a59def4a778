import { z } from 'zod';
import type { ValueOf } from '../stored/kind.ts';

/** How to clear the findings of a package in one lockfile, with evidence. */
export type Fix = ValueOf<typeof fixSchema>;

/** A package whose locked version changes. */
export type FixChange = Fix['changes'][number];

/** A later version that was looked at. */
export type FixCandidate = Fix['evidence']['candidates'][number];

export const fixSchema = z.object({
  /**
   * The kind of change that clears the findings of a package. `in-range`: every requirement permits a good version, so the package
   * manager can lock it. `upgrade-direct`: a later version of direct dependencies does. `override`: only against the requirements of
   * other packages. `held-by-pin`: the project itself forces another version, or permits none after a date. `held-by-cooldown`: the good
   * version is too new for the project's own setting, or the index advises to wait. `none`: there is no way. `unknown`: whether there is one
   * could not be found out.
   */
  kind: z.enum([
    'in-range',
    'upgrade-direct',
    'override',
    'held-by-pin',
    'held-by-cooldown',
    'none',
    'unknown',
  ]),
  /** Path of the lockfile. */
  path: z.string(),
  /** The smallest later version of the package that is good: no known advisory, not deprecated, no pre-release. */
  version: z.string().exactOptional(),
  /** Whether that version is of another major line than the locked one. */
  breaking: z.boolean().exactOptional(),
  /** The changes, in the order of the commands. Empty when nothing can be done. */
  changes: z.array(
    z.object({
      name: z.string(),
      from: z.string(),
      /** The version that gets locked; `undefined` when the package is no longer needed. */
      to: z.string().exactOptional(),
      how: z.enum(['re-lock', 'upgrade', 'override']),
      /** Whether the target's own requirement goes to another major line, which can need changes of its code. */
      breaking: z.boolean().exactOptional(),
    }),
  ),
  /** Commands of the package manager, or what to edit where it has none. */
  commands: z.array(z.string()),
  /** For `held-by-cooldown`: when the version may be locked; RFC 3339. */
  until: z.string().exactOptional(),
  /** Why there is no better way; one sentence without a full stop. */
  reason: z.string().exactOptional(),
  evidence: z.object({
    /** The source that names the versions as fixed: imported advisories. Absent: the index lists them. */
    from: z.literal('osv').exactOptional(),
    /** Later versions that were looked at, in their order, with the advisories that each still has. At most 20. */
    candidates: z.array(
      z.object({
        version: z.string(),
        advisories: z.array(z.string()),
        /** Why it is not good, where no advisory is the reason. */
        reason: z.string().exactOptional(),
      }),
    ),
    /** Number of versions that were looked at. */
    lookedAt: z.number(),
    /** Requirements on the package; those that stand in the way first. At most 20. */
    requirements: z.array(
      z.object({
        /** Id of the package that requires, or `.` and the folder for the target. */
        by: z.string(),
        /** The stated requirement; absent when it is not known. */
        requirement: z.string().exactOptional(),
        permits: z.boolean(),
      }),
    ),
    /** Versions of direct dependencies whose resolved graphs were looked at. */
    graphs: z.array(
      z.object({
        name: z.string(),
        version: z.string(),
        /** Versions of the package in the graph. */
        brings: z.array(z.string()),
        good: z.boolean(),
        /** Why it is not known what it brings; absent where it is known. */
        unknown: z.string().exactOptional(),
      }),
    ),
  }),
});

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
  /** See the evidence of a fix. */
  from: z.literal('osv').exactOptional(),
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
