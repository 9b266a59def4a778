import { hash } from 'node:crypto';
import { advisoryNames } from '../model/scan/advisory-names.ts';
import type { Finding } from '../model/scan/finding.ts';

/**
 * Keys of the issue of a finding, one for each name of its advisory. Two findings with a common key are about the same issue
 * of the same package, at any version.
 */
export function issueKeys({
  rule,
  package: { ecosystem, name },
  advisory,
  issue,
}: Finding): readonly string[] {
  if (advisory === undefined) return [JSON.stringify([rule, ecosystem, name, null, issue ?? null])];
  return [advisory.id, ...advisory.aliases].map((id) => JSON.stringify([rule, ecosystem, name, id]));
}

/** Whether the finding's advisory did not load: only its id is known. */
export function isUnloaded({ advisory }: Finding): boolean {
  if (advisory === undefined) return false;
  return advisory.aliases.length === 0 && advisory.title === advisory.id && advisory.score === undefined;
}

/** The finding with the names of the other one's issue as further aliases. */
export function withNamesOf(finding: Finding, other: Finding): Finding {
  const { advisory } = finding;
  if (advisory === undefined) return finding;
  const known = advisoryNames(finding);
  const more = advisoryNames(other).filter((name) => !known.includes(name));
  return { ...finding, advisory: { ...advisory, aliases: [...advisory.aliases, ...more] } };
}

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
