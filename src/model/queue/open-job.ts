import type { LanePlace, Turn } from './lane.ts';

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

/** Jobs that are neither done nor given up, and the lanes in which some of them wait for one another. */
export interface OpenJobs<Child = unknown> {
  /** Opens a job and takes the last place of its lane. Outcomes open what follows from them by themselves. */
  open(job: OpenJob<Child>): Promise<void>;
  find(id: string): Promise<OpenJob<Child> | undefined>;
  /** All of them, in no order; those opened or closed meanwhile may be missing. */
  list(): AsyncIterable<OpenJob<Child>>;
  turn(place: LanePlace): Promise<Turn>;
  /** Forgets a job and gives its place up. `outcome`: closed only when Redis has that outcome. May be repeated. */
  close(job: {
    readonly id: string;
    readonly lane?: string | undefined;
    readonly outcome?: { readonly job: string; readonly key: string };
  }): Promise<Closing>;
}
