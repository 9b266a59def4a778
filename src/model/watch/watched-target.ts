import { z } from 'zod';
import type { ValueOf } from '../stored/value-of.ts';
import { targetSourceSchema } from './source.ts';

/** A target of a schedule after its last reading. */
export type WatchedTarget = ValueOf<typeof watchedTargetSchema>;

export const watchedTargetSchema = z.object({
  target: z.object({ id: z.string(), labels: z.record(z.string(), z.string()) }),
  source: targetSourceSchema(),
  /** Hash of the source of the schedule that named it. */
  definition: z.string(),
  /** The run that read it last, and when that was due. */
  run: z.string(),
  due: z.string(),
  /** RFC 3339. */
  at: z.string(),
  ending: z.enum(['scanned', 'unchanged', 'failed']),
  /** Id of the last scan that the schedule requested. */
  scan: z.string().exactOptional(),
  /** When it was last read without a fault. */
  readAt: z.string().exactOptional(),
  /** The fault; present while the source cannot be read. */
  failing: z.object({ since: z.string(), code: z.string(), reason: z.string() }).exactOptional(),
});
