import type { Finding } from '../model/finding.ts';

/** Whether two findings are about the same issue: same rule and, where it has names, one in common. */
export function sameIssue(left: Finding, right: Finding): boolean {
  if (left.rule !== right.rule) return false;
  if (left.advisory === undefined || right.advisory === undefined) return left.advisory === right.advisory;
  const names = new Set([left.advisory.id, ...left.advisory.aliases]);
  return [right.advisory.id, ...right.advisory.aliases].some((name) => names.has(name));
}

/** Findings that can be about the same package at all have the same key. */
export function packageKey({ package: { ecosystem, name } }: Finding): string {
  return JSON.stringify([ecosystem, name]);
}
