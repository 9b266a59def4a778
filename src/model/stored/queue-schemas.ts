import { z } from 'zod';
import type { StoredFollowUp } from '../queue/follow-up.ts';
import type { OpenJob } from '../queue/open-job.ts';
import type { StoredOutcome } from '../queue/outcome.ts';
import type { RejectedPayload } from '../queue/rejected-payload.ts';
import { OUTCOMES } from '../scan/resolution.ts';
import { SCAN_STATES, type ScanRecord } from '../scan/scan-record.ts';
import { severity, transition } from './scan-schemas.ts';

const followUp: z.ZodType<StoredFollowUp> = z.object({
  job: z.string(),
  version: z.number().exactOptional(),
  key: z.string().exactOptional(),
  payload: z.unknown(),
  get children() {
    return z.array(followUp).exactOptional();
  },
});

/** The result is checked by its own kind. */
export const outcome: z.ZodType<StoredOutcome> = z.object({
  result: z.unknown(),
  resultVersion: z.number().exactOptional(),
  next: z.array(followUp),
});

export const openJob: z.ZodType<OpenJob> = z.object({
  id: z.string(),
  job: z.string(),
  data: z.object({ version: z.number(), key: z.string(), payload: z.unknown() }),
  lane: z.string().exactOptional(),
  children: z.array(followUp).exactOptional(),
});

export const rejectedPayload: z.ZodType<RejectedPayload> = z.object({
  at: z.string(),
  job: z.string(),
  id: z.string(),
  issues: z.array(z.object({ path: z.string(), reason: z.string() })),
  data: z.string(),
  cut: z.boolean().exactOptional(),
});

const count = z.number().exactOptional();

/** Its scan is the field of the hash that holds it. */
export const scanRecord: z.ZodType<Omit<ScanRecord, 'scan'>> = z.object({
  target: z.string(),
  state: z.enum(SCAN_STATES),
  requestedAt: z.string(),
  startedAt: count,
  endedAt: count,
  lockfiles: count,
  packages: count,
  outcomes: z.partialRecord(z.enum(OUTCOMES), z.number()).exactOptional(),
  unread: count,
  unreadFiles: z.array(z.object({ path: z.string(), reason: z.string() })).exactOptional(),
  problems: count,
  gaps: count,
  findings: z.partialRecord(severity, z.number()).exactOptional(),
  changes: z.partialRecord(transition, z.number()).exactOptional(),
  incomplete: z.boolean().exactOptional(),
  unchanged: z.boolean().exactOptional(),
  deliveries: count,
  delivered: count,
  failedDeliveries: count,
  reason: z.string().exactOptional(),
});
