import { createHash } from 'node:crypto';

/**
 * Identifies a finding over scans: what it is about, not how bad it is or where it stands. The issue's name may change
 * (a GHSA id appears where only a CVE was known): `changes.ts` then keeps the fingerprint that was there first.
 */
export function fingerprintOf(target: string, rule: string, purl: string, issue: string): string {
  return createHash('sha256')
    .update(JSON.stringify([target, rule, purl, issue]))
    .digest('hex')
    .slice(0, 32);
}
