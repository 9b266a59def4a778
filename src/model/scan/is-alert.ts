import type { Finding } from './finding.ts';

/** Whether a finding alerts and fails a scan: it is neither a note nor suppressed. */
export function isAlert({ level, suppressed }: Pick<Finding, 'level' | 'suppressed'>): boolean {
  return level === 'alert' && suppressed === undefined;
}

/** Whether advice is about a finding: one with an advisory that is not suppressed. */
export function isAdvisable({ advisory, suppressed }: Pick<Finding, 'advisory' | 'suppressed'>): boolean {
  return advisory !== undefined && suppressed === undefined;
}

/** Whether a finding is a note that is not suppressed. */
export function isNote({ level, suppressed }: Pick<Finding, 'level' | 'suppressed'>): boolean {
  return level === 'note' && suppressed === undefined;
}
