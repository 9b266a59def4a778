import { z } from 'zod';

/** The data of a job: the payload, the version of its schema, and the key of its outcome. */
export interface Envelope {
  readonly version: number;
  readonly key: string;
  readonly payload: unknown;
}

/** A follow-up as it is stored. */
export interface StoredFollowUp extends Envelope {
  /** Name of the job, which is that of its queue. */
  readonly job: string;
  readonly children?: readonly StoredFollowUp[];
}

export const followUpSchema: z.ZodType<StoredFollowUp> = z.object({
  job: z.string(),
  version: z.number(),
  key: z.string(),
  payload: z.unknown(),
  get children() {
    return z.array(followUpSchema).exactOptional();
  },
});
