import type { Finding } from './finding.ts';

/** The advisory of a finding, by all its names; none without one. */
export function advisoryNames({ advisory }: Pick<Finding, 'advisory'>): readonly string[] {
  return advisory === undefined ? [] : [advisory.id, ...advisory.aliases];
}

/** Whether a name is that of a report of malware: OSV names these `MAL-…`. */
export function isMalwareReport(name: string): boolean {
  return name.startsWith('MAL-');
}
