import { z } from 'zod';
import type { DeliveryAttempt, DeliveryRecord, StoppedRoute } from '../alert/delivery.ts';
import type { DigestEntry, GatheredDigest, Notification } from '../alert/notification.ts';
import type { AppliedObject } from '../ports/applied-objects.ts';
import { notifiedChange, severityCounts, target, transitionCounts } from './scan-schemas.ts';

const changes = z.array(notifiedChange);
const omitted = transitionCounts.optional();

export const notification: z.ZodType<Notification> = z.object({
  id: z.string(),
  route: z.string(),
  mode: z.enum(['digest', 'change', 'periodic']).exactOptional(),
  scan: z.string(),
  target,
  date: z.string(),
  changes,
  omitted,
  open: severityCounts,
  gaps: z.number(),
  firstScan: z.enum(['opened', 'resolved']).exactOptional(),
  link: z.string().exactOptional(),
  test: z.boolean().exactOptional(),
});

export const gatheredDigest: z.ZodType<GatheredDigest> = z.object({ notification: notification.nullable() });

export const digestEntry: z.ZodType<DigestEntry> = z.object({
  scan: z.string(),
  target,
  date: z.string(),
  changes,
  omitted,
  open: severityCounts,
  gaps: z.number(),
});

/** Hashes in Redis hold text; times in ms since 1970, and '' for what is absent. */
const present = z.string().min(1);
const whole = z.coerce.number().int().nonnegative();
const time = whole.transform((ms) => new Date(ms).toISOString());
const optional = <Schema extends z.ZodType>(schema: Schema) =>
  z.union([z.literal('').transform(() => undefined), schema]).optional();

export const deliveryRecord: z.ZodType<DeliveryRecord> = z.object({
  id: present,
  key: present,
  route: present,
  target: present,
  scan: present,
  date: present,
  content: optional(present),
  state: z.enum(['waiting', 'retrying', 'held', 'delivered', 'failed']),
  reason: optional(present),
  changes: whole,
  filedAt: time,
  updatedAt: time,
  nextAttemptAt: optional(time),
  attempts: whole,
  lastStatus: optional(whole),
});

export const deliveryAttempt: z.ZodType<DeliveryAttempt> = z.object({
  at: z.string(),
  durationMs: z.number(),
  bytes: z.number().exactOptional(),
  leftOut: z.number().exactOptional(),
  status: z.number().exactOptional(),
  error: z.string().exactOptional(),
  answer: z.string().exactOptional(),
});

export const stoppedRoute: z.ZodType<StoppedRoute> = z.object({
  route: z.string(),
  at: z.string(),
  reason: z.string(),
});

export const appliedObject: z.ZodType<AppliedObject> = z.object({
  name: z.string(),
  fields: z.record(z.string(), z.string()),
});
