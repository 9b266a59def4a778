import { defined } from '../../model/defined.ts';
import { advisoryNames, isMalwareReport } from '../../model/scan/advisory-names.ts';
import type { Target } from '../../model/scan/change.ts';
import type { Finding, Location } from '../../model/scan/finding.ts';
import type { TargetSuppressionLimit } from '../../model/scan/policy.ts';
import { atLeast, countedSeverity } from '../../model/scan/severity.ts';
import type { Suppressed, Suppression, UnusedSuppression } from '../../model/scan/suppression.ts';
import { hasLabels, matchesWildcard } from '../../model/wildcard.ts';
import { fits, indexRules, type Rule, type RuleIndex, rulesOf } from './rules.ts';

/** Decides which findings of one target are suppressed. */
export interface Suppressor {
  /** The finding with what suppresses it now, and without what suppressed it before. */
  suppress(finding: Finding): Finding;
  /** The suppressions that suppressed nothing so far. `isOwn`: it names this target alone. */
  unused(): readonly (UnusedSuppression & { readonly isOwn: boolean })[];
}

export interface SuppressorOptions {
  /** In ms since 1970. */
  readonly now: number;
  /** The worst severity that suppressions of the target itself may suppress. */
  readonly targetLimit: TargetSuppressionLimit;
}

/**
 * The suppressions of a target at a time, in ms since 1970. They are indexed by advisory and package, because a fleet may have
 * thousands of them; the cost of a finding does not depend on their number.
 */
export async function createSuppressor(
  suppressions: readonly Suppression[],
  target: Target,
  { now, targetLimit }: SuppressorOptions,
): Promise<Suppressor> {
  const own = suppressions.filter((one) => isAbout(one, target));
  const rules = await rulesOf(own);
  const live = rules.filter(({ suppression }) => !isExpired(suppression, now));
  const [index, overrule] = [false, true].map((overrules) =>
    indexRules(live.filter(({ suppression }) => (suppression.overrules === true) === overrules)),
  ) as [RuleIndex, RuleIndex];
  return {
    suppress({ suppressed: _, ...finding }) {
      const candidates = index(finding).filter(
        (rule) => fits(rule, finding) && !isOverruled(rule, finding, overrule),
      );
      const suppressed = suppressedBy(candidates, finding, targetLimit);
      return suppressed === undefined ? finding : { ...finding, suppressed };
    },
    unused: () =>
      rules
        .filter(({ uses, suppression }) => uses === 0 && suppression.overrules !== true)
        .map(({ suppression, refused }) => ({
          id: suppression.id,
          reason: isExpired(suppression, now)
            ? `expired at ${suppression.expires}`
            : (refused ?? 'matches no finding'),
          isOwn: isOnlyFor(suppression),
        })),
  };
}

export function isExpired({ expires }: Pick<Suppression, 'expires'>, now: number): boolean {
  return expires !== undefined && Date.parse(expires) <= now;
}

interface TargetScope {
  readonly target?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
}

function isOnlyFor({ source, target }: Suppression): boolean {
  return source === 'target' || (target !== undefined && !target.includes('*'));
}

/** Whether a scope has a target: by its id and its labels, in which `*` matches any text. */
export function isAbout({ target, labels = {} }: TargetScope, { id, labels: known }: Target): boolean {
  if (target !== undefined && !matchesWildcard(target, id)) return false;
  return hasLabels(known, labels);
}

/** Every location has to be suppressed; the first suppression of the first location is named. */
function suppressedBy(
  candidates: readonly Rule[],
  finding: Finding,
  limit: TargetSuppressionLimit,
): Suppressed | undefined {
  const fitting = candidates.filter((rule) => isAllowed(rule, finding, limit));
  if (fitting.length === 0) return undefined;
  const places: readonly (Location | undefined)[] =
    finding.locations.length === 0 ? [undefined] : finding.locations;
  const found: Rule[] = [];
  for (const place of places) {
    const rule = longest(fitting.filter(({ suppression }) => isAt(suppression, place)));
    if (rule === undefined) return undefined;
    found.push(rule);
  }
  for (const rule of fitting) {
    if (places.some((place) => isAt(rule.suppression, place))) rule.uses += 1;
  }
  return describe(found);
}

function isAt({ source, path }: Suppression, place: Location | undefined): boolean {
  if (path === undefined) return true;
  if (place === undefined) return false;
  return source === 'target' ? path === place.path : matchesWildcard(path, place.path);
}

/** The effective one of several suppressions, which is the one that lasts longest. */
function longest(rules: readonly Rule[]): Rule | undefined {
  const end = ({ suppression: { expires } }: Rule) =>
    expires === undefined ? Number.POSITIVE_INFINITY : Date.parse(expires);
  return rules.reduce<Rule | undefined>(
    (best, rule) => (best === undefined || end(rule) > end(best) ? rule : best),
    undefined,
  );
}

/** The finding opens again when the first of them expires. */
function describe(rules: readonly Rule[]): Suppressed | undefined {
  const [first] = rules;
  if (first === undefined) return undefined;
  const { id: by, source, reason, author } = first.suppression;
  const ends = rules.flatMap(({ suppression: { expires } }) => expires ?? []);
  const expires = ends.sort((left, right) => Date.parse(left) - Date.parse(right))[0];
  return {
    by,
    source,
    reason,
    ...defined({ author, expires }),
  };
}

/**
 * Malware is suppressed only by the name of its report: neither what suppresses many findings nor a range that will contain
 * later versions may hide it.
 */
function isAllowed(rule: Rule, finding: Finding, limit: TargetSuppressionLimit): boolean {
  const { advisories = [], package: scope, source } = rule.suppression;
  const reports = advisoryNames(finding).filter(isMalwareReport);
  const range = scope?.versions;
  if (reports.length > 0) {
    const isNamed = advisories.some((id) => reports.includes(id.toUpperCase()));
    const isExact = range === undefined || range === finding.package.version;
    if (!isNamed || !isExact) {
      rule.refused = `malware is suppressed only by name: \`advisory: ${reports[0]}\`, without a range`;
      return false;
    }
  }
  if (source !== 'target') return true;
  const severity = countedSeverity(finding);
  if (limit !== 'off' && atLeast(limit, severity)) return true;
  rule.refused =
    limit === 'off'
      ? 'targets may not suppress findings (policy.targetSuppressions)'
      : `targets may suppress findings up to ${limit}, and this is a ${severity} one (policy.targetSuppressions)`;
  return false;
}

/**
 * Whether a statement of a VEX document that fits a finding is overruled by one that the finding counts. A statement holds against another
 * one when it is at least as specific and at least as late, and one of both more so: otherwise the finding counts. All names of the finding's
 * advisory and of the statement are those of one vulnerability. A suppression of another source is a decision of its own.
 */
export function isOverruled(rule: Rule, finding: Finding, overrule: RuleIndex): boolean {
  const { source, advisories = [] } = rule.suppression;
  const { advisory } = finding;
  if (source !== 'vex' || advisory === undefined) return false;
  const wide = { ...finding, advisory: { ...advisory, aliases: [...advisoryNames(finding), ...advisories] } };
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
