import type { Finding } from '../model/scan/finding.ts';

/**
 * Keys of the issue that a finding is about: findings are about the same issue of the same package, at whatever version,
 * when they share one. An issue with an advisory has a key for each of its names.
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

/** Whether nothing but the id of the finding's advisory is known: it did not load. */
export function isUnloaded({ advisory }: Finding): boolean {
  if (advisory === undefined) return false;
  return advisory.aliases.length === 0 && advisory.title === advisory.id && advisory.score === undefined;
}

/** The finding, its issue also known under the other one's names. */
export function withNamesOf(finding: Finding, other: Finding): Finding {
  const { advisory } = finding;
  if (advisory === undefined) return finding;
  const known = namesOf(finding);
  const more = namesOf(other).filter((name) => !known.includes(name));
  return { ...finding, advisory: { ...advisory, aliases: [...advisory.aliases, ...more] } };
}

function namesOf({ advisory }: Finding): readonly string[] {
  return advisory === undefined ? [] : [advisory.id, ...advisory.aliases];
}
