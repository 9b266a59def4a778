import type { Finding } from '../model/finding.ts';
import type { Policy } from '../model/policy.ts';
import { inTurns, sortInTurns } from '../model/turns.ts';
import { RULES } from './catalog.ts';
import { createPathFinder } from './dependency-path.ts';
import { compareFindingOrder } from './finding-order.ts';
import { placedPackages } from './placed-packages.ts';
import type { Rule, RuleContext, ScanFacts } from './rule.ts';

/** Packages that rules judge at once. */
const SLICE = 100;

/** All findings of a scan by every rule, alerts before notes, worst first, then by package and issue. */
export async function judge(facts: ScanFacts): Promise<readonly Finding[]> {
  const packages = await placedPackages(facts.inventory, await createPathFinder(facts));
  const findings: Finding[] = [];
  for await (const slice of inTurns(packages, SLICE)) {
    for (const rule of RULES) findings.push(...judgeBy(rule, { ...facts, packages: slice }));
  }
  return await sortInTurns(findings, compareFindingOrder);
}

function judgeBy(rule: Rule, context: RuleContext): readonly Finding[] {
  const { unknownSeverity: countsAs, rules } = context.policy;
  const level = rules[rule.name]?.level ?? rule.level;
  if (level === 'off') return [];
  const own = rules[rule.name]?.severity ?? rule.severity ?? 'unrated';
  return rule.judge(context).map((found): Finding => {
    const severity = found.severity ?? own;
    return { ...found, rule: rule.name, level, severity, ...(severity === 'unrated' ? { countsAs } : {}) };
  });
}

/** How long a finding of that rule may stay open as a note before it becomes an alert, in milliseconds. */
export function noteLimitOf(policy: Policy): (rule: string) => number {
  const limits = new Map(RULES.map((rule) => [rule.name, rule.noteLimit?.(policy)]));
  return (rule) => limits.get(rule) ?? Number.POSITIVE_INFINITY;
}
