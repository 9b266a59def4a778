import { hash } from 'node:crypto';

/**
 * Identifies a finding across scans by its subject, not by its severity or locations. When the issue gets another name or the
 * package another version, `match-findings.ts` keeps the first fingerprint.
 */
export function fingerprintOf(target: string, rule: string, purl: string, issue: string): string {
  return hashOf([target, rule, purl, issue]);
}

/**
 * The fingerprint, or one derived from it when a stored finding uses it: that finding moved to another version of the package
 * and keeps its first fingerprint.
 */
export function unusedFingerprint(fingerprint: string, used: Set<string>): string {
  let unused = fingerprint;
  while (used.has(unused)) unused = hashOf([unused]);
  used.add(unused);
  return unused;
}

function hashOf(parts: readonly string[]): string {
  return hash('sha256', JSON.stringify(parts)).slice(0, 32);
}
