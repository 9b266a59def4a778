import type { LanePlace, Turn } from '../model/lane.ts';

/** Rows of jobs that run one after another. Places are taken through `Outcomes.save`. */
export interface Lanes {
  turn(place: LanePlace): Promise<Turn>;
  /** Gives the place up; answers who is first now. May be repeated. */
  leave(place: LanePlace): Promise<string | undefined>;
}
