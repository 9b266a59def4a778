import { messageOf } from '../model/errors.ts';
import type { Finding } from '../model/scan/finding.ts';
import type { Policy } from '../model/scan/policy.ts';
import { inSlices, sortInSlices } from '../model/yielding.ts';
import { RULES } from './catalog.ts';
import { createPathFinder } from './dependency-path.ts';
import { compareFindingOrder } from './finding-order.ts';
import { locatePackages } from './located-packages.ts';
import type { Rule, RuleContext, RuleFinding, ScanFacts } from './rule.ts';
import type { Unjudged } from './still-open.ts';

/** Packages per call of a rule. */
const SLICE = 100;

interface Judged {
  /** Alerts before notes, worst first, then by package and issue. */
  readonly findings: readonly Finding[];
  /** Packages on which a rule failed; the other rules judged them. */
  readonly unjudged: readonly Unjudged[];
}

/** The findings of all rules. */
export async function judge(facts: ScanFacts, rules: readonly Rule[] = RULES): Promise<Judged> {
  const packages = await locatePackages(facts.inventory, await createPathFinder(facts));
  const findings: Finding[] = [];
  const unjudged: Unjudged[] = [];
  for await (const slice of inSlices(packages, SLICE)) {
    for (const rule of rules) findings.push(...judgeBy(rule, { ...facts, packages: slice }, unjudged));
  }
  return { findings: await sortInSlices(findings, compareFindingOrder), unjudged };
}

function judgeBy(rule: Rule, context: RuleContext, unjudged: Unjudged[]): readonly Finding[] {
  const { unknownSeverity: countsAs, rules } = context.policy;
  const level = rules[rule.name]?.level ?? rule.level;
  if (level === 'off') return [];
  const own = rules[rule.name]?.severity ?? rule.severity ?? 'unrated';
  return foundBy(rule, context, unjudged).map((found): Finding => {
    const severity = found.severity ?? own;
    return { ...found, rule: rule.name, level, severity, ...(severity === 'unrated' ? { countsAs } : {}) };
  });
}

/** When a rule fails on a slice, it judges the packages one by one. */
function foundBy(rule: Rule, context: RuleContext, unjudged: Unjudged[]): readonly RuleFinding[] {
  try {
    return rule.judge(context);
  } catch (error) {
    const { packages } = context;
    const [only] = packages;
    if (packages.length > 1) {
      return packages.flatMap((located) => foundBy(rule, { ...context, packages: [located] }, unjudged));
    }
    if (only !== undefined) {
      unjudged.push({ rule: rule.name, purl: only.locked.purl, reason: messageOf(error) });
    }
    return [];
  }
}

/** Returns, by rule, how long a finding may stay open as a note before it becomes an alert, in milliseconds. */
export function noteLimitOf(policy: Policy): (rule: string) => number {
  const limits = new Map(RULES.map((rule) => [rule.name, rule.noteLimit?.(policy)]));
  return (rule) => limits.get(rule) ?? Number.POSITIVE_INFINITY;
}
