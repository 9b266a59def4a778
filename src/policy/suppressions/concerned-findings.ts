import type { WantedFindings } from '../../model/fleet/fleet-finding.ts';
import type { Suppression } from '../../model/scan/suppression.ts';
import { fits, indexRules, rulesOf } from './rules.ts';
import { isAbout } from './suppressor.ts';

/** Texts that are searched in each state; more would take longer than parsing it. */
const MAX_SEARCHED = 20;

/**
 * The findings that suppressions concern, whatever else suppresses them, and whether these are expired or removed. For the targets
 * that are judged again when suppressions change.
 */
export async function concernedFindings(changed: readonly Suppression[]): Promise<WantedFindings> {
  const suppressions = changed.map(widened);
  const rules = await rulesOf(suppressions);
  const index = indexRules(rules);
  const texts = suppressions.map(textsOf);
  return {
    isAbout: (target) => suppressions.some((one) => isAbout(one, target)),
    mayBeIn: (json) =>
      texts.length > MAX_SEARCHED || texts.some((all) => all.every((text) => text.test(json))),
    isWanted: (target, finding) =>
      index(finding).some((rule) => isAbout(rule.suppression, target) && fits(rule, finding)),
  };
}

/** A statement that one package counts also overrules what suppresses its whole target. */
function widened(one: Suppression): Suppression {
  if (one.overrules !== true) return one;
  const { package: _, ...whole } = one;
  return whole;
}

/** The texts that the JSON of a state has, all of them, when the suppression concerns one of its findings. */
function textsOf({ advisories, package: scope, rule }: Suppression): readonly RegExp[] {
  const ids = advisories?.map(literal);
  // Other spellings of a name differ in case and separators.
  const name = scope === undefined ? '' : longest(scope.name.split('*'));
  return [
    ...(ids === undefined ? [] : [new RegExp(ids.join('|'), 'i')]),
    new RegExp(literal(name).replaceAll(/(?:\\\.|[-_])+/g, '[-_.]+'), 'i'),
    ...(rule === undefined ? [] : [new RegExp(literal(rule))]),
  ];
}

function longest(parts: readonly string[]): string {
  return parts.reduce((best, part) => (part.length > best.length ? part : best), '');
}

/** Matches the text as JSON has it. */
function literal(text: string): string {
  return JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
