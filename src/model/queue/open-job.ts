import { z } from 'zod';
import type { ValueOf } from '../stored/kind.ts';

export interface OutcomeName {
  readonly job: string;
  readonly key: string;
}

/** Outcomes that no job reads any longer. */
export interface SpentOutcomes {
  /** A marker stays, so that the job does not run again. */
  readonly marked: readonly OutcomeName[];
  /** Removed completely, because only jobs whose outcomes are marked create them. */
  readonly removed: readonly OutcomeName[];
}

/** The data of a job: the payload, the version of its schema, and the key of its outcome. */
export interface Envelope {
  readonly version: number;
  readonly key: string;
  readonly payload: unknown;
}

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

/** A job's place in a lane: an ordered queue of jobs that run one after another. */
interface LanePlace {
  readonly lane: string;
  /** Id of the job. */
  readonly id: string;
}

/** Position of a job in its lane. */
export type Turn =
  | { readonly kind: 'first' }
  /** The job `first` runs before it. */
  | { readonly kind: 'waiting'; readonly first: string }
  /** The job never had a place, or is done. */
  | { readonly kind: 'absent' };

/**
 * A job that follows from a saved outcome and is neither done nor failed permanently. The script that saves the outcome
 * stores it next to the queue: a job that Redis or a worker loses from the queue is recreated from it.
 */
export type OpenJob = ValueOf<typeof openJobSchema>;

export const openJobSchema = z.object({
  /** Id of the job in its queue. */
  id: z.string(),
  /** Name of the job, which is that of its queue. */
  job: z.string(),
  /** The job's data. */
  data: z.object({ version: z.number(), key: z.string(), payload: z.unknown() }),
  /** The lane in which it has a place. */
  lane: z.string().exactOptional(),
  /** Jobs that run before it. */
  children: z.array(followUpSchema).exactOptional(),
});

/** The stored state of a job when an attempt begins. */
export interface BegunJob {
  readonly open: OpenJob | undefined;
  readonly hasOutcome: boolean;
  /** Set when another content has the id of the request. */
  readonly claim?: 'taken';
  /** Place in the lane; absent for a job without a lane. */
  readonly turn?: Turn;
}

/** The id of a request from outside, which belongs to the first content that is requested under it. */
export interface RequestClaim {
  readonly scan: string;
  /** Hash of what is requested. */
  readonly content: string;
}

/** A job that is done. */
export interface EndedJob {
  readonly id: string;
  readonly lane?: string | undefined;
  /** Outcomes that it frees. */
  readonly spent?: SpentOutcomes | undefined;
}

export interface ClosedJob extends EndedJob {
  /** The job is closed only when Redis has this outcome. */
  readonly outcome?: OutcomeName | undefined;
}

/** The result of closing an open job. `outcome-missing`: Redis has no outcome of it, so it stays open. */
type Closing =
  /** `next`: id of the job that is first in the lane now. */
  { readonly kind: 'closed'; readonly next?: string | undefined } | { readonly kind: 'outcome-missing' };

/** Jobs that are neither done nor failed permanently, and the lanes in which some of them wait for one another. */
export interface OpenJobs {
  /** Opens a job, at the end of its lane. Saving an outcome opens the jobs that follow from it. */
  open(job: OpenJob): Promise<void>;
  find(id: string): Promise<OpenJob | undefined>;
  /**
   * `id`: that of the queue; `ownId`: the one that follows from its key, which has the place in the lane. `claim` applies to a job
   * that is not open: another program queued it. `opens`: what is stored of such a job, unless it has an outcome or the claim fails; that
   * attempt still finds it not open.
   */
  begin(job: {
    readonly id: string;
    readonly ownId: string;
    readonly lane: string | undefined;
    readonly outcome: OutcomeName;
    readonly claim?: RequestClaim | undefined;
    readonly opens?: OpenJob | undefined;
  }): Promise<BegunJob>;
  /** All open jobs, in no particular order; those opened or closed meanwhile may be missing. */
  list(): AsyncIterable<OpenJob>;
  turn(place: LanePlace): Promise<Turn>;
  /**
   * Forgets a job and releases its place. `others`: jobs without a lane that are closed in the same step; when the outcome of one
   * is missing, all stay open. May be repeated.
   */
  close(job: ClosedJob, others?: readonly ClosedJob[]): Promise<Closing>;
}
