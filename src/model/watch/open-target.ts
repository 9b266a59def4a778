import { z } from 'zod';
import type { ValueOf } from '../stored/value-of.ts';
import { targetSourceSchema } from './source.ts';

/** A target of a run whose source is not read yet. */
export type OpenTarget = ValueOf<typeof openTargetSchema>;

export const openTargetSchema = z.object({
  run: z.string(),
  source: targetSourceSchema(),
  /** Hash of the source of the schedule. */
  definition: z.string(),
});
