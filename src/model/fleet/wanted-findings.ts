import type { Finding } from '../scan/finding.ts';
import type { Target } from '../scan/target.ts';

/** Findings whose targets are looked for. Each part is asked only where the one before says yes. */
export interface WantedFindings {
  isAbout(target: Target): boolean;
  /** Whether the JSON of a state may hold such a finding: parsing a state takes most of the time. */
  mayBeIn(json: string): boolean;
  isWanted(target: Target, finding: Finding): boolean;
}
