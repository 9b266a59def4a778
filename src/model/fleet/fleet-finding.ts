import type { Assignment } from '../scan/assignment.ts';
import type { Target, TrackedFinding } from '../scan/change.ts';
import type { Finding } from '../scan/finding.ts';
import { findingSchema } from '../scan/finding.ts';
import type { ValueOf } from '../stored/kind.ts';

/** A finding of one of many targets. */
export interface FleetFinding extends Pick<TrackedFinding, 'status' | 'openedAt' | 'changedAt' | 'finding'> {
  readonly target: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Number of all its locations; `finding.locations` lists at most 20. */
  readonly places: number;
  /** Who works on its issue. */
  readonly assigned?: Assignment;
}

/**
 * The common part of open alerts of several targets: a finding without its fingerprint, places and advice. It is stored once for the
 * fleet, so that lists and counts of the whole fleet read no states.
 */
export type OpenAlert = ValueOf<typeof openAlertSchema>;

export const openAlertSchema = findingSchema.pick({
  rule: true,
  level: true,
  severity: true,
  countsAs: true,
  stepsLess: true,
  title: true,
  package: true,
  advisory: true,
  disputed: true,
  issue: true,
  kev: true,
  epss: true,
});

/** Findings whose targets are looked for. Each part is asked only where the one before says yes. */
export interface WantedFindings {
  isAbout(target: Target): boolean;
  /** Whether the JSON of a state may hold such a finding: parsing a state takes most of the time. */
  mayBeIn(json: string): boolean;
  isWanted(target: Target, finding: Finding): boolean;
}
