import { createHash } from 'node:crypto';

/**
 * Identifies a finding over scans: what it is about, not how bad it is or where it stands. The issue's name may change
 * (a GHSA id appears where only a CVE was known), and the package may move to another version: `match-findings.ts` then
 * keeps the fingerprint that was there first.
 */
export function fingerprintOf(target: string, rule: string, purl: string, issue: string): string {
  return hash([target, rule, purl, issue]);
}

/**
 * The fingerprint, or one that follows from it where a remembered finding goes by it already: one that moved on from
 * the version at which a new finding now stands.
 */
export function unusedFingerprint(fingerprint: string, used: Set<string>): string {
  let unused = fingerprint;
  while (used.has(unused)) unused = hash([unused]);
  used.add(unused);
  return unused;
}

function hash(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}
