import type { Finding } from '../../model/scan/finding.ts';
import type { Suppression } from '../../model/scan/suppression.ts';
import { fits, namesOf, type Rule, type RuleIndex } from './rules.ts';

/**
 * Whether a statement of a VEX document that fits a finding is overruled by one that the finding counts. A statement holds against another
 * one when it is at least as specific and at least as late, and one of both more so: otherwise the finding counts. All names of the finding's
 * advisory and of the statement are those of one vulnerability. A suppression of another source is a decision of its own.
 */
export function isOverruled(rule: Rule, finding: Finding, overrule: RuleIndex): boolean {
  const { source, advisories = [] } = rule.suppression;
  const { advisory } = finding;
  if (source !== 'vex' || advisory === undefined) return false;
  const wide = { ...finding, advisory: { ...advisory, aliases: [...namesOf(finding), ...advisories] } };
  const against = overrule(wide).find((other) => {
    const one = fits(other, wide) ? other.suppression : wholeOf(other.suppression, rule.suppression);
    return one !== undefined && !holds(rule.suppression, one);
  });
  if (against === undefined) return false;
  rule.refused = `${against.suppression.id} overrules it: ${against.suppression.reason}`;
  return true;
}

/** A target of which one package counts is not unaffected as a whole. */
function wholeOf({ package: _, ...other }: Suppression, one: Suppression): Suppression | undefined {
  const isWhole = one.package === undefined && specificity(other) > 0;
  return isWhole ? other : undefined;
}

function holds(one: Suppression, other: Suppression): boolean {
  const isLater = timeOf(one) - timeOf(other);
  const isNarrower = specificity(one) - specificity(other);
  return isLater >= 0 && isNarrower >= 0 && (isLater > 0 || isNarrower > 0);
}

/** In ms since 1970. A time that is not known is the worst one. */
function timeOf({ statedAt, overrules }: Suppression): number {
  if (statedAt !== undefined) return Date.parse(statedAt);
  return overrules === true ? Number.MAX_VALUE : -Number.MAX_VALUE;
}

/** A target is more specific than a package, and versions are more so than all of them. */
function specificity({ target, labels, package: scope }: Suppression): number {
  const ofTarget = target === undefined && labels === undefined ? 0 : 3;
  if (scope === undefined) return ofTarget;
  return ofTarget + (scope.version === undefined && scope.versions === undefined ? 1 : 2);
}
