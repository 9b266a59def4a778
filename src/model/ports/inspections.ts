import type { Inspection } from '../signal/inspection.ts';
import type { ProjectScores } from './project-scores.ts';

/** An inspection to store. */
export interface StoredInspection {
  /** Identity of the package version in the fleet. */
  readonly identity: string;
  readonly inspection: Inspection;
  /** Whether its signals differ from those stored before: the targets that hold the version are then judged again. */
  readonly isNews: boolean;
  /** When it is inspected again, ms since 1970. Unset: never. */
  readonly againAt?: number | undefined;
}

/** Inspections of package versions, stored once for the fleet. */
export interface Inspections {
  /** Reads in the order of the identities; `undefined` for a version that was not inspected, or whose inspection found nothing. */
  read(identities: readonly string[]): Promise<readonly (Inspection | undefined)[]>;
  store(entries: readonly StoredInspection[]): Promise<void>;
  /** Returns for each subject, in order, whether it was inspected, or seen at the first scan of a target. */
  isKnown(subjects: readonly string[]): Promise<readonly boolean[]>;
  markKnown(subjects: readonly string[]): Promise<void>;
  /** Scorecards of the source projects of inspected versions. */
  readonly projects: ProjectScores;
  /** Identities that are to be inspected again by now, those that are due for longest first. */
  due(now: number, limit: number): Promise<readonly string[]>;
}
