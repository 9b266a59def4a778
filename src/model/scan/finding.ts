import { z } from 'zod';
import { fixSchema } from '../advice/fix.ts';
import { baseImageSchema } from '../image/image.ts';
import type { ValueOf } from '../stored/kind.ts';
import { CLAIM_SOURCES, CLAIM_STATEMENTS } from './claim.ts';
import { RATED_SEVERITIES, SEVERITIES } from './severity.ts';
import { suppressedSchema } from './suppression.ts';

/** The place of a package in the target. */
export type Location = Finding['locations'][number];

/** The advisory behind a finding: all its names joined over aliases. */
export type AdvisoryEvidence = Exclude<Finding['advisory'], undefined>;

/** How urgent a finding is, with what that is made of. */
export type Priority = Exclude<Finding['priority'], undefined>;

/** An issue that a rule found in a package of a target. @interface */
export type Finding = ValueOf<typeof findingSchema>;

export const severitySchema = z.enum(SEVERITIES);

export const claimSchema = z.object({
  source: z.enum(CLAIM_SOURCES),
  says: z.enum(CLAIM_STATEMENTS),
  since: z.string().exactOptional(),
  versions: z.string().exactOptional(),
});

export const findingSchema = z.object({
  /** Stable over scans: identifies an issue of a package in a target. */
  fingerprint: z.string(),
  rule: z.string(),
  /** A `note` is reported, never fails a scan and never alerts. */
  level: z.enum(['note', 'alert']),
  severity: severitySchema,
  /** The severity as which an `unrated` one counts (`policy.unknownSeverity`). */
  countsAs: z.enum(RATED_SEVERITIES).exactOptional(),
  /** How many severities less it counts (`policy.developmentStep`); absent: 0. */
  stepsLess: z.number().exactOptional(),
  /** One line of plain text. */
  title: z.string(),
  package: z.object({
    ecosystem: z.string(),
    name: z.string(),
    version: z.string(),
    purl: z.string(),
    direct: z.boolean().optional(),
    groups: z.array(z.string()),
  }),
  locations: z.array(
    z.object({
      /** Path of the lockfile. */
      path: z.string(),
      line: z.number().exactOptional(),
      /** Package ids from a direct dependency down to the package itself; empty when no path is known. */
      dependencyPath: z.array(z.string()),
    }),
  ),
  /** The owners of its lockfiles: `@user`, `@organisation/team`, an e-mail address. Absent where none is known. */
  owners: z.array(z.string()).exactOptional(),
  advisory: z
    .object({
      /** The identifier shown: GHSA before others, the rest in `aliases`. */
      id: z.string(),
      aliases: z.array(z.string()),
      title: z.string(),
      url: z.string(),
      score: z.number().exactOptional(),
      vector: z.string().exactOptional(),
      /** The name whose database gave the score, where it is not `id`. */
      scoredBy: z.string().exactOptional(),
    })
    .exactOptional(),
  /** The statements of its sources, where one denies another one; absent where none does. */
  disputed: z.array(claimSchema).exactOptional(),
  /** Distinguishes findings of one rule and package that have no advisory. */
  issue: z.string().exactOptional(),
  /** The advice where it is known: a sentence or two. */
  advice: z.string().exactOptional(),
  /** The signals of a release behind the finding: their points, and the sum of them (`docs/signals.md`). */
  suspicion: z
    .object({
      score: z.number(),
      reasons: z.array(z.object({ signal: z.string(), points: z.number(), text: z.string() })),
    })
    .exactOptional(),
  /** The images behind a finding of the rule `base-image`: the base before, the base now where there is one, and the layers above it. */
  base: z
    .object({
      before: baseImageSchema,
      now: baseImageSchema.exactOptional(),
      layersAbove: z.number(),
    })
    .exactOptional(),
  /** The suppression. A suppressed finding is reported; like a note it never fails a scan and never alerts. */
  suppressed: suppressedSchema.exactOptional(),
  /** How to clear it, one for each lockfile; absent where that was not computed. */
  fixes: z.array(fixSchema).exactOptional(),
  /** Whether its issue is in the catalogue of known exploited vulnerabilities; absent without a catalogue or a CVE. */
  kev: z
    .object({
      listed: z.boolean(),
      /** Dates, `YYYY-MM-DD`. */
      added: z.string().exactOptional(),
      due: z.string().exactOptional(),
      ransomware: z.boolean().exactOptional(),
    })
    .exactOptional(),
  /** The probability of exploitation within 30 days, and its percentile. In a stored state: when the finding changed last. */
  epss: z.object({ score: z.number(), percentile: z.number() }).exactOptional(),
  /** Since when it is open, and for how many whole days when it was judged. Not stored in the state of a target, as `due`. */
  age: z.object({ since: z.string(), days: z.number() }).exactOptional(),
  /** RFC 3339: when it has to be resolved (`policy.dueIn`). */
  due: z.string().exactOptional(),
  /** The priority. The state of a target does not store it: it follows from the finding and from current data. */
  priority: z
    .object({
      /** 0 to 100. */
      score: z.number(),
      /** The parts of the score, in the order of docs/priority.md. */
      parts: z.array(z.object({ name: z.string(), points: z.number(), reason: z.string() })),
    })
    .exactOptional(),
});
