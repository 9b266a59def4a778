import { messageOf } from '../model/errors.ts';
import type { Finding } from '../model/scan/finding.ts';
import type { Policy } from '../model/scan/policy.ts';
import { inSlices, sortInSlices } from '../model/yielding.ts';
import { RULES } from './catalog.ts';
import { createPathFinder } from './dependency-path.ts';
import { compareFindingOrder } from './finding-order.ts';
import { fingerprintOf } from './fingerprint.ts';
import { findingPackage, type LocatedPackage, locatePackages } from './located-packages.ts';
import { policyFor } from './policy-for.ts';
import type { Rule, RuleFacts } from './rule.ts';
import { vulnerability } from './rules/vulnerability.ts';
import type { Unjudged } from './still-open.ts';

/** Packages between two pauses for other work. */
const SLICE = 100;

interface Judged {
  /** Alerts before notes, worst first, then by package and issue. */
  readonly findings: readonly Finding[];
  /** Packages on which a rule failed; the other rules judged them. */
  readonly unjudged: readonly Unjudged[];
}

/** The findings of all rules. */
export async function judge(given: RuleFacts, rules: readonly Rule[] = RULES): Promise<Judged> {
  const facts = { ...given, policy: policyFor(given.policy, given.target) };
  const packages = await locatePackages(facts.inventory, await createPathFinder(facts));
  const findings: Finding[] = [];
  const unjudged: Unjudged[] = [];
  for await (const slice of inSlices(packages, SLICE)) {
    for (const rule of rules) {
      for (const located of slice) findings.push(...judgeBy(rule, located, facts, unjudged));
    }
  }
  return { findings: await sortInSlices(findings, compareFindingOrder), unjudged };
}

function judgeBy(
  rule: Rule,
  located: LocatedPackage,
  facts: RuleFacts,
  unjudged: Unjudged[],
): readonly Finding[] {
  const { name } = rule;
  const { unknownSeverity: countsAs, rules } = facts.policy;
  const level = rules[name]?.level ?? rule.level;
  if (level === 'off') return [];
  const { purl } = located.locked;
  try {
    return rule.judge(located, facts).map(({ key = '', title, ...found }): Finding => {
      const severity = found.severity ?? rules[name]?.severity ?? rule.severity ?? 'unrated';
      return {
        fingerprint: fingerprintOf(facts.target.id, name, purl, key),
        title,
        package: findingPackage(located),
        locations: located.locations(),
        ...found,
        rule: name,
        level,
        severity,
        ...(severity === 'unrated' ? { countsAs } : {}),
        ...stepsLess(rule, located, found, facts.policy),
      };
    });
  } catch (error) {
    unjudged.push({ rule: name, purl, reason: messageOf(error) });
    return [];
  }
}

/** Signs of a compromise count in full: packages for development run on the machines of developers and of CI. */
function stepsLess(
  { name }: Rule,
  { isForDevelopment }: LocatedPackage,
  { advisory }: Pick<Finding, 'advisory'>,
  { developmentStep: steps }: Policy,
): Pick<Finding, 'stepsLess'> {
  if (steps === 0 || !isForDevelopment || name !== vulnerability.name) return {};
  const names = advisory === undefined ? [] : [advisory.id, ...advisory.aliases];
  return names.some((id) => id.startsWith('MAL-')) ? {} : { stepsLess: steps };
}

/** Returns, by rule, how long a finding may stay open as a note before it becomes an alert, in milliseconds. */
export function noteLimitOf(policy: Policy): (rule: string) => number {
  const limits = new Map(RULES.map((rule) => [rule.name, rule.noteLimit?.(policy)]));
  return (rule) => limits.get(rule) ?? Number.POSITIVE_INFINITY;
}
