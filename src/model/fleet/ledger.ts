import { z } from 'zod';
import { SEVERITIES } from '../scan/severity.ts';
import { TRANSITIONS } from '../scan/transition.ts';
import type { ValueOf } from '../stored/kind.ts';

/** The known facts about the revision that lockfiles were read from. */
export type ScannedRevision = ValueOf<typeof scannedRevisionSchema>;

export const scannedRevisionSchema = z.object({
  /** The commit of a git repository. */
  commit: z.string().exactOptional(),
  /** RFC 3339: when that commit was made. */
  committedAt: z.string().exactOptional(),
  /** Validator of an HTTP answer. */
  etag: z.string().exactOptional(),
});

/** One change of a target by a scan, or an alert that a receiver accepted. */
export type LedgerEntry = ValueOf<typeof ledgerEntrySchema>;

/** The packages that came and went in one lockfile. */
export type LockfileDelta = NonNullable<LedgerEntry['files']>[number];

/** A finding that changed. */
export type LedgerFinding = NonNullable<LedgerEntry['findings']>[number];

/** Ids of packages, ascending, each minus the one before it. */
const idSteps = z.custom<readonly number[]>(
  (value) => Array.isArray(value) && value.every(Number.isSafeInteger),
  'a list of another kind',
);

const ledgerEntrySchema = z.object({
  /** When the scan was requested, or the alert was accepted; seconds since 1970. */
  at: z.number(),
  scan: z.string(),
  ...scannedRevisionSchema.shape,
  /** True for the first entry, and for one whose predecessors are lost: what was held before it is not known. */
  start: z.literal(true).exactOptional(),
  /** True where `came` has what a commit held, and not what came with it: an import began there, and knows of nothing before. */
  held: z.literal(true).exactOptional(),
  /** Lockfiles of which an entry with `start` found the packages that the imported history before it ends with: nothing is lost of these. */
  unchanged: z.array(z.string()).exactOptional(),
  /** Lockfiles with other packages. An entry with `start` has none: the packages of its time follow from those of today. */
  files: z
    .array(
      z.object({
        path: z.string(),
        came: idSteps,
        /**
         * One number for each package that came: 0 for a direct dependency, -1 not known, else the position, from 1, in `roots` of the
         * direct dependency that brought it.
         */
        via: idSteps,
        roots: z.array(z.number()),
        went: idSteps,
      }),
    )
    .exactOptional(),
  /** Alerts that opened, worsened or ended; the worst first. */
  findings: z
    .array(
      z.object({
        transition: z.enum(TRANSITIONS),
        rule: z.string(),
        severity: z.enum(SEVERITIES),
        purl: z.string(),
        /** Id of the advisory, and its other names. */
        advisory: z.string().exactOptional(),
        aliases: z.array(z.string()).exactOptional(),
        /** Routes that get the change. */
        routes: z.array(z.string()).exactOptional(),
        /** RFC 3339: when it opened, for one that ended. */
        since: z.string().exactOptional(),
      }),
    )
    .exactOptional(),
  /** Number of further findings that are not listed. */
  omitted: z.number().exactOptional(),
  /** The route whose receiver accepted the alert about `scan`. */
  delivered: z.string().exactOptional(),
});

export const ledgerBlockSchema = z.object({ entries: z.array(ledgerEntrySchema) });

/** A ledger has this in place of a block that is in the storage (`ledger.storage`). */
export type LedgerReference = ValueOf<typeof ledgerReferenceSchema>;

export const ledgerReferenceSchema = z.object({
  /** Name of the object. */
  object: z.string().regex(/^[0-9a-f]{32}$/),
  /** SHA-256 of the block in base64url. */
  sha256: z.string(),
  /** Time of the last entry of the block, in seconds since 1970. */
  until: z.number(),
});

/** The data of a scan about itself for the ledger of its target. */
export interface LedgerNote extends ScannedRevision {
  readonly scan: string;
  /** RFC 3339. */
  readonly requestedAt: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly findings: readonly LedgerFinding[];
  readonly omitted?: number;
}
