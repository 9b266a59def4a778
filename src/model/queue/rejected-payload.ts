import { z } from 'zod';
import type { ValueOf } from '../stored/kind.ts';

/** The data of a job that does not fit the job's schema, stored for an operator. */
export type RejectedPayload = ValueOf<typeof rejectedPayloadSchema>;

export const rejectedPayloadSchema = z.object({
  /** When it was rejected, RFC 3339. */
  at: z.string(),
  /** Name of the job, which is that of its queue. */
  job: z.string(),
  /** Id of the job that carried it. */
  id: z.string(),
  /** The reasons, each with the JSON path in the job's data. */
  issues: z.array(z.object({ path: z.string(), reason: z.string() })),
  /** The job's data as received; the store keeps its first 8,192 characters. */
  data: z.string(),
  /** Whether `data` is incomplete. */
  cut: z.boolean().exactOptional(),
});

/**
 * The result of putting a payload back. `invalid`: it would be rejected again, for `issues`. `gone`: the job is no
 * longer in the queue, and only the beginning of its data is stored. `under-way`: the job is no longer rejected.
 */
export type RetriedPayload = { readonly job: string; readonly id: string } & (
  | { readonly outcome: 'queued' | 'gone' | 'under-way' }
  | { readonly outcome: 'invalid'; readonly issues: RejectedPayload['issues'] }
);
