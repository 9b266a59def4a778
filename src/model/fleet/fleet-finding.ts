import type { TrackedFinding } from '../scan/change.ts';

/** A finding of one of many targets. */
export interface FleetFinding extends Pick<TrackedFinding, 'status' | 'openedAt' | 'changedAt' | 'finding'> {
  readonly target: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Number of all its locations; `finding.locations` lists at most 20. */
  readonly places: number;
}
