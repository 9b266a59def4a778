import { z } from 'zod';

/** The data of a job: the payload, the version of its schema, and the key of its outcome. */
export interface Envelope {
  readonly version: number;
  readonly key: string;
  readonly payload: unknown;
}

/** A follow-up as it is stored. Release 0.1.0 stored neither version (it was 1) nor key. */
export interface StoredFollowUp extends Partial<Envelope> {
  /** Name of the job, which is that of its queue. */
  readonly job: string;
  readonly payload: unknown;
  readonly children?: readonly StoredFollowUp[];
}

export const followUpSchema: z.ZodType<StoredFollowUp> = z.object({
  job: z.string(),
  version: z.number().exactOptional(),
  key: z.string().exactOptional(),
  payload: z.unknown(),
  get children() {
    return z.array(followUpSchema).exactOptional();
  },
});
