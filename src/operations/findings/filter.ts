import { hash } from 'node:crypto';
import type { FleetNeed } from '../../fleet/view/read-fleet.ts';
import { RANK, SEARCHED, type ViewedFinding, type ViewedTarget } from '../../fleet/view/viewed-target.ts';
import type { TargetSummary } from '../../model/fleet/target-summary.ts';
import type { Finding } from '../../model/scan/finding.ts';
import { atLeast, RATED_SEVERITIES, SEVERITIES } from '../../model/scan/severity.ts';
import { isOnlyIn } from '../../policy/group-filter.ts';
import type { Call } from '../operation.ts';
import { findingEcosystem } from '../packages/query.ts';
import { labelTest, searchWords, sinceOf } from '../parameters.ts';
import type { Principal } from '../principal.ts';

/** The parameters that decide which findings fit. */
export type FindingFilters = Call<'lockhound.findings.count'>['params'];

type FindingTest = (finding: ViewedFinding) => boolean;
type HolderTest = (holder: ViewedTarget) => boolean;

/** The tests of a finding and its target, and the parts of the fleet that they read. */
export interface FindingFilter {
  readonly holder: readonly HolderTest[];
  readonly finding: readonly FindingTest[];
  readonly need: FleetNeed;
}

/**
 * The tests of what a caller asks for and may see; `select.ts` tests `fixable`, which depends on what workers find out. Only what is asked
 * for is tested, because lists are long. Throws `Refusal`.
 */
export function findingFilter(filters: FindingFilters, { seesAll, sees }: Principal): FindingFilter {
  const { target, search } = filters;
  const words = searchWords(search);
  const hasLabels = labelTest(filters.label);
  const holder: HolderTest[] = [];
  if (target !== undefined) holder.push((one) => one.target === target);
  if (!seesAll) holder.push((one) => sees(one.target));
  if (hasLabels !== undefined) holder.push(hasLabels);
  // Whether one of its findings may have the word.
  for (const word of words) holder.push(({ [SEARCHED]: searched = '' }) => searched.includes(word));
  const mayMatter = (id: string, summary: TargetSummary): boolean =>
    sees(id) && hasLabels?.(summary) !== false && mayHave(summary, filters);
  return {
    holder,
    finding: [
      ...stateTests(filters),
      ...ratingTests(filters),
      ...packageTests(filters),
      ...words.map(
        (word): FindingTest =>
          (one) =>
            one[SEARCHED].includes(word),
      ),
    ],
    need: { target, mayMatter, onlyAlerts: isAboutAlerts(filters) },
  };
}

/** Whether open alerts without their places and times decide what fits. */
function isAboutAlerts(filters: FindingFilters): boolean {
  const { target, state = 'open', notes = false, fixable = false, since, search, owner } = filters;
  const others = [target, since, search, owner];
  return state === 'open' && !notes && !fixable && others.every((one) => one === undefined);
}

/** Whether a target may have findings that fit: most have no open ones. Summaries count open alerts. */
function mayHave(
  { open }: TargetSummary,
  { state = 'open', severity, notes = false }: FindingFilters,
): boolean {
  if (state !== 'open' || notes) return true;
  return SEVERITIES.some(
    (name) =>
      (open[name] ?? 0) > 0 && (severity === undefined || name === 'unrated' || atLeast(name, severity)),
  );
}

function stateTests({ state = 'open', notes = false }: FindingFilters): readonly FindingTest[] {
  const tests: FindingTest[] = [];
  if (state !== 'all') {
    tests.push(({ finding: { suppressed }, status }) =>
      status === 'open' && suppressed !== undefined ? state === 'suppressed' : state === status,
    );
  }
  if (!notes) tests.push((one) => one.finding.level === 'alert');
  return tests;
}

function ratingTests({ rule, severity, since: from }: FindingFilters): readonly FindingTest[] {
  const tests: FindingTest[] = [];
  const since = sinceOf(from);
  if (rule !== undefined) {
    const rules = new Set(rule);
    tests.push((one) => rules.has(one.finding.rule));
  }
  if (severity !== undefined) {
    const rank = RATED_SEVERITIES.indexOf(severity);
    tests.push((one) => one[RANK] <= rank);
  }
  if (since !== undefined) tests.push((one) => Date.parse(one.changedAt) >= since);
  return tests;
}

function packageTests(filters: FindingFilters): readonly FindingTest[] {
  const { ecosystem, package: purl, direct = false, advisory: id, issue, withoutGroups, owner } = filters;
  const tests: FindingTest[] = [];
  if (ecosystem !== undefined) {
    const type = findingEcosystem(ecosystem);
    tests.push((one) => one.finding.package.ecosystem === type);
  }
  if (direct) tests.push((one) => one.finding.package.direct !== false);
  if (withoutGroups !== undefined) {
    const groups = new Set(withoutGroups);
    tests.push((one) => !isOnlyIn(one.finding.package.groups, groups));
  }
  if (owner !== undefined) tests.push((one) => one.finding.owners?.includes(owner) === true);
  if (purl !== undefined) {
    // The version of a purl follows its only unencoded `@`.
    const anyVersion = `${purl}@`;
    tests.push(({ finding: { package: own } }) => own.purl === purl || own.purl.startsWith(anyVersion));
  }
  if (id !== undefined) {
    tests.push(({ finding: { advisory } }) => advisory?.id === id || advisory?.aliases.includes(id) === true);
  }
  if (issue !== undefined) {
    const issues = new Set(issue);
    tests.push((one) => issues.has(issueIdOf(one.finding)));
  }
  return tests;
}

/** Findings of several targets may share what is known of their alert. */
const issueIds = new WeakMap<Finding, string>();

/** Identifies the issue of a finding for callers: 16 hexadecimal digits. */
export function issueIdOf(finding: Finding): string {
  const id = issueIds.get(finding) ?? hash('sha256', issueKeyOf(finding)).slice(0, 16);
  issueIds.set(finding, id);
  return id;
}

/** The issue of a finding: its advisory or rule, and its package in all versions. Made for tens of thousands of findings at once. */
export function issueKeyOf({ rule, package: { purl }, advisory, issue = '' }: Finding): string {
  const end = purl.search(/[@?]/);
  return `${rule}\n${end === -1 ? purl : purl.slice(0, end)}\n${advisory?.id ?? issue}`;
}
