import { messageOf } from '../model/errors.ts';
import { advisoryNames, isMalwareReport } from '../model/scan/advisory-names.ts';
import type { Finding } from '../model/scan/finding.ts';
import type { Policy } from '../model/scan/policy.ts';
import { inSlices } from '../model/yielding.ts';
import { RULES } from './catalog.ts';
import { createPathFinder } from './dependency-path.ts';
import { compareFindingOrder } from './finding-order.ts';
import { findingPackage, type LocatedPackage, locatePackages } from './located-packages.ts';
import { policyFor } from './policy-for.ts';
import type { Rule, RuleFacts, RuleFinding } from './rule.ts';
import { vulnerability } from './rules/vulnerability.ts';
import { fingerprintOf } from './same-finding.ts';
import type { Unjudged } from './still-open.ts';

/** Packages between two pauses for other work. */
const SLICE = 100;

interface Judged {
  /** Alerts before notes, worst first, then by package and issue. */
  readonly findings: readonly Finding[];
  /** Packages on which a rule failed, or may lack findings; the other rules judged them. */
  readonly unjudged: readonly Unjudged[];
}

/** The findings of all rules. */
export async function judge(given: RuleFacts, rules: readonly Rule[] = RULES): Promise<Judged> {
  const facts = { ...given, policy: policyFor(given.policy, given.target) };
  const packages = await locatePackages(facts.inventory, facts.pathTo ?? (await createPathFinder(facts)));
  const active = activeRules(rules, facts);
  const findings: Finding[] = [];
  const unjudged: Unjudged[] = [];
  for await (const slice of inSlices(packages, SLICE)) {
    for (const rated of active) {
      for (const located of slice) {
        try {
          const found = rated.rule.judge(located, facts);
          if (found.length > 0) findings.push(...found.map((one) => findingOf(rated, located, facts, one)));
          const reason = rated.rule.unsure?.(located);
          if (reason !== undefined)
            unjudged.push({ rule: rated.rule.name, purl: located.locked.purl, reason });
        } catch (error) {
          const reason = `failed: ${messageOf(error)}`;
          unjudged.push({ rule: rated.rule.name, purl: located.locked.purl, reason });
        }
      }
    }
  }
  return { findings: findings.toSorted(compareFindingOrder), unjudged };
}

/** A rule with the level that its findings get. */
interface ActiveRule {
  readonly rule: Rule;
  readonly level: Finding['level'];
}

/** The rules that are not off and that can find something in these facts. */
function activeRules(rules: readonly Rule[], facts: RuleFacts): readonly ActiveRule[] {
  return rules.flatMap((rule) => {
    const level = facts.policy.rules[rule.name]?.level ?? rule.level;
    return level === 'off' || rule.applies?.(facts) === false ? [] : [{ rule, level }];
  });
}

function findingOf(
  { rule, level }: ActiveRule,
  located: LocatedPackage,
  facts: RuleFacts,
  { key = '', title, ...found }: RuleFinding,
): Finding {
  const { name } = rule;
  const { policy, target } = facts;
  const severity = found.severity ?? policy.rules[name]?.severity ?? rule.severity ?? 'unrated';
  return {
    fingerprint: fingerprintOf(target.id, name, located.locked.purl, key),
    title,
    package: findingPackage(located),
    locations: located.locations(),
    ...found,
    rule: name,
    level,
    severity,
    ...(severity === 'unrated' ? { countsAs: policy.unknownSeverity } : {}),
    ...stepsLess(rule, located, found, policy),
  };
}

/** Signs of a compromise count in full: packages for development run on the machines of developers and of CI. */
function stepsLess(
  { name }: Rule,
  { isForDevelopment }: LocatedPackage,
  finding: Pick<Finding, 'advisory'>,
  { developmentStep: steps }: Policy,
): Pick<Finding, 'stepsLess'> {
  if (steps === 0 || !isForDevelopment || name !== vulnerability.name) return {};
  return advisoryNames(finding).some(isMalwareReport) ? {} : { stepsLess: steps };
}

/** Returns, by rule, how long a finding may stay open as a note before it becomes an alert, in milliseconds. */
export function noteLimitOf(policy: Policy): (rule: string) => number {
  const limits = new Map(RULES.map((rule) => [rule.name, rule.noteLimit?.(policy)]));
  return (rule) => limits.get(rule) ?? Number.POSITIVE_INFINITY;
}
