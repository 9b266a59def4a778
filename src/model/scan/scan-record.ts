import { z } from 'zod';
import type { ValueOf } from '../stored/kind.ts';
import { transitionSchema } from './change.ts';
import { severitySchema } from './finding.ts';
import { OUTCOMES } from './outcome.ts';

/**
 * - `queued`: no lockfile is read yet.
 * - `running`: its lockfiles are read; advisories and graphs are fetched and judged.
 * - `concluded`: judged, and its changes are routed.
 * - `superseded`: judged after a scan that was requested later; changed nothing.
 * - `failed`: failed permanently.
 */
const SCAN_STATES = ['queued', 'running', 'concluded', 'superseded', 'failed'] as const;

const count = z.number().exactOptional();

/** Its scan is the field of the hash that holds it. */
export const scanRecordSchema = z.object({
  target: z.string(),
  state: z.enum(SCAN_STATES),
  /** RFC 3339: when the producer asked. */
  requestedAt: z.string(),
  /** Milliseconds since 1970: when its first job began to run, and when it was judged or failed. */
  startedAt: count,
  endedAt: count,
  lockfiles: count,
  packages: count,
  outcomes: z.partialRecord(z.enum(OUTCOMES), z.number()).exactOptional(),
  /** Lockfiles that could not be read: their number, and the first of them. */
  unread: count,
  unreadFiles: z.array(z.object({ path: z.string(), reason: z.string() })).exactOptional(),
  /** Entries of lockfiles that could not be read. */
  problems: count,
  gaps: count,
  findings: z.partialRecord(severitySchema, z.number()).exactOptional(),
  changes: z.partialRecord(transitionSchema, z.number()).exactOptional(),
  /** True when the scan could not see everything: a lockfile, an entry or a package. */
  incomplete: z.boolean().exactOptional(),
  /** True when its lockfiles were those of the last scan, whose result it repeated. */
  unchanged: z.boolean().exactOptional(),
  /** Deliveries of its changes, and how many of them were delivered or failed. */
  deliveries: count,
  delivered: count,
  failedDeliveries: count,
  /** Why it failed. */
  reason: z.string().exactOptional(),
});

/** A scan in a few hundred bytes, for operators. Counts of zero may be absent. */
export type ScanRecord = ValueOf<typeof scanRecordSchema> & { readonly scan: string };

/** The fields that one job adds to the record of its scan; the store sets the times. */
export type ScanRecordUpdate = Omit<ScanRecord, 'startedAt' | 'endedAt' | 'delivered' | 'failedDeliveries'>;
