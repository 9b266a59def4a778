import type { Finding } from '../model/finding.ts';

/** Whether two findings are about the same issue: same rule and, where it has names, one in common. */
export function sameIssue(left: Finding, right: Finding): boolean {
  if (left.rule !== right.rule) return false;
  if (left.advisory === undefined || right.advisory === undefined) {
    return left.advisory === right.advisory && left.issue === right.issue;
  }
  const names = new Set(namesOf(left));
  return namesOf(right).some((name) => names.has(name));
}

/** Findings that can be about the same package at all have the same key. */
export function packageKey({ package: { ecosystem, name } }: Finding): string {
  return JSON.stringify([ecosystem, name]);
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
