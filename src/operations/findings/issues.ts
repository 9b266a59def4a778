import { COMPARE_FINDINGS, FINDING_ORDERS } from '../../fleet/view/fleet-snapshot.ts';
import type { Compare } from '../../fleet/view/sorted-list.ts';
import type { ViewedFinding } from '../../fleet/view/viewed-target.ts';
import type { FleetFinding } from '../../model/fleet/fleet-finding.ts';
import type { Finding } from '../../model/scan/finding.ts';
import { SEVERITIES } from '../../model/scan/severity.ts';
import { compareText } from '../../policy/finding-order.ts';
import { type OperationContext, perContext, unreadableOf } from '../context.ts';
import type { Call, Operation } from '../operation.ts';
import { pageOf, pageOfList } from '../paging.ts';
import { issueIdOf, issueKeyOf } from './filter.ts';
import { selectFindings } from './select.ts';
import { findingPlace, shownFinding, wholeFindings, withAssignments, withKnownFixes } from './shown.ts';

/** Issues in the answer, unless `limit` says another number. */
const LIMIT = 50;
/** Targets of one issue that are named, and versions whose fixes are. */
const NAMED = 5;

type Params = Call<'lockhound.findings.issues'>['params'];
type Order = Exclude<Params['orderBy'], undefined>;
type Kind = Exclude<Params['by'], undefined>;

/** The findings that fit by issue: a version or package and its advisory or rule, with the targets that have it. */
export const issues: Operation<'lockhound.findings.issues'> = async ({ params, principal }, context) => {
  const { by = 'version', orderBy = 'severity', reverse = false, limit = LIMIT, ...others } = params;
  const { skip, pageToken, ...filters } = others;
  const page = pageOf<Place>(context, {
    method: 'lockhound.findings.issues',
    params: { ...others, by, orderBy, reverse, pageSize: limit } as Params,
    principal,
  });
  const order = FINDING_ORDERS.find((name) => name === orderBy) ?? 'severity';
  const list = await selectFindings(context, filters, principal, { order, short: true });
  const { issues, ...counts } = groupedOf(context, list, by);
  const compare = comparing(orderBy, reverse);
  const { items, next } = pageOfList(sortedOf(context, issues, { orderBy, reverse }), page, {
    compare,
    placeOf: ({ first, targets }) => ({ first: findingPlace(first), targets }),
  });
  return {
    issues: await shownIssues(context, items),
    ...counts,
    ...unreadableOf(context, principal),
    ...next,
  };
};

/** The values that decide the order of issues. */
interface Place {
  readonly first: FleetFinding;
  readonly targets: number;
}

interface Issue extends Place {
  readonly first: ViewedFinding;
  readonly severity: Finding['severity'];
  /** At least one finding, in their order. */
  readonly own: readonly ViewedFinding[];
}

interface Grouped {
  /** The issues in the order of their first findings. */
  readonly issues: readonly Issue[];
  readonly total: number;
  readonly different: number;
  readonly targets: number;
  readonly severities: Readonly<Record<string, number>>;
}

/** By list of findings or issues, and what else decides them: the callers of one list share them. */
const remembered = perContext(() => ({
  grouped: new WeakMap<readonly FleetFinding[], Map<Kind, Grouped>>(),
  sorted: new WeakMap<readonly Issue[], Map<string, readonly Issue[]>>(),
}));

function groupedOf(context: OperationContext, list: readonly ViewedFinding[], by: Kind): Grouped {
  const { grouped } = remembered(context);
  const known = grouped.get(list) ?? new Map<Kind, Grouped>();
  const found = known.get(by) ?? groupIssues(list, by === 'package' ? issueKeyOf : versionKeyOf);
  grouped.set(list, known.set(by, found));
  return found;
}

function groupIssues(
  list: readonly ViewedFinding[],
  keyOf: (finding: Finding, status: string) => string,
): Grouped {
  const issues = new Map<string, ViewedFinding[]>();
  const targets = new Set<string>();
  const severities: Record<string, number> = {};
  // Findings of several targets may share what is known of their alert.
  const keys = new Map<Finding, string>();
  for (const one of list) {
    const { finding, status, target } = one;
    const key = keys.get(finding) ?? keyOf(finding, status);
    keys.set(finding, key);
    const known = issues.get(key);
    if (known === undefined) issues.set(key, [one]);
    else known.push(one);
    targets.add(target);
    severities[finding.severity] = (severities[finding.severity] ?? 0) + 1;
  }
  return {
    issues: Array.from(issues.values(), issueOf),
    total: list.length,
    different: issues.size,
    targets: targets.size,
    severities,
  };
}

function issueOf(own: readonly ViewedFinding[]): Issue {
  const first = own[0] as ViewedFinding;
  if (own.length === 1) return { first, own, targets: 1, severity: first.finding.severity };
  let { severity } = first.finding;
  const targets = new Set<string>();
  for (const { finding, target } of own) {
    targets.add(target);
    if (SEVERITIES.indexOf(finding.severity) < SEVERITIES.indexOf(severity)) severity = finding.severity;
  }
  return { first, own, targets: targets.size, severity };
}

function versionKeyOf(finding: Finding, status: string): string {
  const { rule, severity, level, package: found, advisory, issue, suppressed } = finding;
  return JSON.stringify([
    suppressed?.by,
    level,
    severity,
    rule,
    found.purl,
    advisory?.id ?? issue ?? '',
    status,
  ]);
}

function sortedOf(
  context: OperationContext,
  issues: readonly Issue[],
  { orderBy, reverse }: { readonly orderBy: Order; readonly reverse: boolean },
): readonly Issue[] {
  const isGiven = FINDING_ORDERS.some((name) => name === orderBy);
  if (isGiven) return reverse ? issues.toReversed() : issues;
  const { sorted } = remembered(context);
  const known = sorted.get(issues) ?? new Map<string, readonly Issue[]>();
  const key = `${orderBy} ${reverse}`;
  const found = known.get(key) ?? issues.toSorted(comparing(orderBy, reverse));
  sorted.set(issues, known.set(key, found));
  return found;
}

/** The order of issues by name. Each is total: equal ones have the order of their first findings. */
function comparing(orderBy: Order, reverse: boolean): Compare<Place> {
  const byFirst = COMPARE_FINDINGS[FINDING_ORDERS.find((name) => name === orderBy) ?? 'severity'];
  const own = OWN_ORDERS[orderBy];
  const compare: Compare<Place> = (left, right) =>
    (own === undefined ? 0 : own(left, right)) || byFirst(left.first, right.first);
  return reverse ? (left, right) => compare(right, left) : compare;
}

const OWN_ORDERS: Partial<Record<Order, Compare<Place>>> = {
  targets: (left, right) => right.targets - left.targets,
  score: (left, right) => scoreOf(right) - scoreOf(left),
  package: (left, right) => compareText(left.first.finding.package.name, right.first.finding.package.name),
  advisory: (left, right) => compareText(nameOf(left), nameOf(right)),
};

/** The score for the order: issues without one come after all others. */
function scoreOf({ first: { finding } }: Place): number {
  return finding.advisory?.score ?? -1;
}

function nameOf({ first: { finding } }: Place): string {
  return finding.advisory?.id ?? finding.rule;
}

/** Issues as the answer has them; not those that are gone meanwhile. */
async function shownIssues(context: OperationContext, issues: readonly Issue[]) {
  const samples = issues.flatMap((issue) => {
    const ofVersions = Map.groupBy(issue.own, ({ finding }) => finding.package.purl);
    const firsts = Array.from(ofVersions.values(), ([one]) => one as ViewedFinding).slice(0, NAMED);
    return firsts.map((one) => ({ issue, one, versions: ofVersions.size }));
  });
  const whole = await wholeFindings(
    context,
    samples.map(({ one }) => one),
  );
  const present = samples.flatMap((sample, index) => {
    const one = whole[index];
    return one === undefined ? [] : [{ ...sample, one }];
  });
  const advised = await withAssignments(
    context,
    await withKnownFixes(
      context.fleet,
      present.map(({ one }) => one),
    ),
  );
  const shown = present.map((sample, index) => ({ ...sample, one: advised[index] ?? sample.one }));
  return Array.from(
    Map.groupBy(shown, ({ issue }) => issue),
    ([issue, ofVersions]) => ({
      id: issueIdOf(issue.first.finding),
      first: shownFinding(context, (ofVersions[0] as (typeof shown)[number]).one),
      severity: issue.severity,
      findings: issue.own.length,
      targets: issue.targets,
      named: namedOf(issue.own),
      versions: ofVersions[0]?.versions ?? 1,
      fixedIn: [
        ...new Set(
          ofVersions.flatMap(({ one }) => one.finding.fixes?.flatMap(({ version = [] }) => version) ?? []),
        ),
      ],
    }),
  );
}

/** The first targets of findings. */
function namedOf(own: readonly ViewedFinding[]): readonly string[] {
  const named = new Set<string>();
  for (const { target } of own) {
    if (named.add(target).size === NAMED) break;
  }
  return [...named];
}
