import type { FollowUp } from '../jobs/follow-up.ts';
import type { LanePlace, Turn } from '../model/lane.ts';
import type { Closing, OpenJob } from '../model/open-job.ts';

/** Jobs that were decided and are neither done nor given up. `Outcomes.save` opens what follows from an outcome. */
export interface OpenJobs {
  open(job: OpenJob<FollowUp>): Promise<void>;
  find(id: string): Promise<OpenJob<FollowUp> | undefined>;
  list(): AsyncIterable<OpenJob<FollowUp>>;
  turn(place: LanePlace): Promise<Turn>;
  /** Forgets a job and gives its place up. `outcome`: closed only when Redis has that outcome. May be repeated. */
  close(job: {
    readonly id: string;
    readonly lane?: string | undefined;
    readonly outcome?: { readonly job: string; readonly key: string };
  }): Promise<Closing>;
}
