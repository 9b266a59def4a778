import { z } from 'zod';
import type { ValueOf } from '../stored/kind.ts';

/**
 * The subject that an exception overrules: the version that a package manager selects (`override`, `constraint`, `excluded-version`),
 * where it comes from (`source`, `registry`), the age that a release needs (`cooldown` sets it), another check, a scanner, or proposals of
 * updates. `unread`: a file that could not be read, so that it is not known which exceptions it has.
 */
export const EXCEPTION_KINDS = [
  'override',
  'constraint',
  'source',
  'excluded-version',
  'registry',
  'cooldown',
  'cooldown-exclude',
  'trust-exclude',
  'peer-rule',
  'ignored-advisory',
  'ignored-package',
  'update-rule',
  'suppression',
  'unread',
] as const;

/**
 * Whether an exception is still needed: would anything change without it? `removable` is proven by what was read and looked up, `expired`
 * by its own date.
 */
export const EXCEPTION_VERDICTS = ['removable', 'expired', 'needed', 'unknown'] as const;

/** The `>` between two packages of a selector, and not that of a range. */
export const SELECTOR_SEPARATOR = /(?<![@\s|<>=^~])>(?!=)/;

export type LockfileProof = NonNullable<Exception['proof']>;

/** An entry of a file that overrules a tool, or the reason why such a file was not read. */
export type Exception = ValueOf<typeof exceptionSchema>;

export const exceptionSchema = z.object({
  kind: z.enum(EXCEPTION_KINDS),
  /** The file, below the root of the target. */
  path: z.string(),
  line: z.number().exactOptional(),
  /** The setting that the entry is in: `pnpm.overrides`, `IgnoredVulns`. */
  setting: z.string(),
  /** As the file writes it: a selector, a pattern of names, the id of an advisory, a URL. */
  subject: z.string(),
  ecosystem: z.string().exactOptional(),
  /** Name of the package; `*` matches any text. */
  package: z.string().exactOptional(),
  /** The versions that it is about, in the notation of the ecosystem. */
  range: z.string().exactOptional(),
  advisory: z.string().exactOptional(),
  /** The value that it sets: a version, a place, a duration. */
  value: z.string().exactOptional(),
  /** The reason that the file states, or the comment beside it. */
  reason: z.string().exactOptional(),
  /** RFC 3339, or a day: from then on it has no effect. */
  until: z.string().exactOptional(),
  /** RFC 3339: since when it is there, and who wrote it; absent where that is not known. */
  since: z.string().exactOptional(),
  author: z.string().exactOptional(),
  /** The proof by the lockfile beside it; absent where it proves nothing. */
  proof: z
    .object({
      verdict: z.enum(['removable', 'needed', 'unknown']),
      evidence: z.string(),
      /** The locked version, where all dependents permit it and only a newer one could make a difference. */
      locked: z.string().exactOptional(),
      /** How long a release has to be public before the package manager selects it, in minutes; absent where that is not known. */
      minutes: z.number().exactOptional(),
    })
    .exactOptional(),
});

export interface JudgedException extends Omit<Exception, 'proof'> {
  readonly verdict: (typeof EXCEPTION_VERDICTS)[number];
  readonly evidence: string;
  /** RFC 3339, or a day: when it becomes removable, where that is known. */
  readonly removableFrom?: string;
}
