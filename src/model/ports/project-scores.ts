import type { ProjectScore } from '../signal/project-score.ts';

/** The scorecards of source projects, once for the fleet and at most 20,000 of them. Ids are in lower case. */
export interface ProjectScores {
  /** Reads in the order of the ids; `undefined` for a project that was never looked up. */
  read(ids: readonly string[]): Promise<readonly (ProjectScore | undefined)[]>;
  store(entries: readonly (readonly [id: string, score: ProjectScore])[]): Promise<void>;
  ids(): Promise<readonly string[]>;
}
