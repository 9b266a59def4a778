/**
 * A job that follows from a saved outcome and is neither done nor given up. It is kept beside the queue, written by the
 * script that saves the outcome: what Redis or a worker loses of the queue can be made again from it.
 */
export interface OpenJob<Child = unknown> {
  /** Id of the job in its queue. */
  readonly id: string;
  /** Name of the job, which is that of its queue. */
  readonly job: string;
  /** The job's data. */
  readonly data: { readonly version: number; readonly key: string; readonly payload: unknown };
  /** The lane in which it has a place. */
  readonly lane?: string;
  /** Jobs that run before it. */
  readonly children?: readonly Child[];
}

/** What closing an open job came to. `outcome-missing`: it is not done as far as Redis knows, and stays open. */
export type Closing =
  /** `next`: id of the job that is first in the lane now. */
  { readonly kind: 'closed'; readonly next?: string } | { readonly kind: 'outcome-missing' };
