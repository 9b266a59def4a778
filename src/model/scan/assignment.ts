import { z } from 'zod';
import type { ValueOf } from '../stored/kind.ts';

/** Who works on an issue: its advisory or rule and its package in all versions, in all targets. It changes no alert. */
export type Assignment = ValueOf<typeof assignmentSchema>;

export const assignmentSchema = z.object({
  /** A person or team, as the caller writes it. */
  to: z.string(),
  /** Who assigned it. */
  by: z.string(),
  /** RFC 3339. */
  at: z.string(),
});
