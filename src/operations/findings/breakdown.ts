import { HOLDER, type ViewedFinding } from '../../fleet/view/viewed-target.ts';
import { defined } from '../../model/defined.ts';
import type { Assignment } from '../../model/scan/assignment.ts';
import { isAlert } from '../../model/scan/is-alert.ts';
import { countedSeverity, SEVERITIES } from '../../model/scan/severity.ts';
import { compareText } from '../../policy/finding-order.ts';
import { formerLicensesOf } from '../../policy/rules/license-changed.ts';
import { firstShard, unreadableOf } from '../context.ts';
import type { Operation } from '../operation.ts';
import { issueIdOf } from './filter.ts';
import { selectFindings } from './select.ts';

/** Groups in the answer, unless `limit` says another number. */
const LIMIT = 50;
/** Names of labels in the answer. */
const MAX_LABELS = 50;
const DAY_MS = 86_400_000;

/** The names of groups, in their order, with the age in days up to which a finding belongs to each. */
const AGES: readonly (readonly [days: number, name: string])[] = [
  [7, 'up to 7 days'],
  [30, 'up to 30 days'],
  [90, 'up to 90 days'],
  [365, 'up to a year'],
  [Number.POSITIVE_INFINITY, 'more than a year'],
];

/** The classes of the days until a due date. */
const TERMS: readonly (readonly [days: number, name: string])[] = [
  [-30, 'overdue by 30 days or more'],
  [0, 'overdue'],
  [7, 'due within 7 days'],
  [30, 'due within 30 days'],
  [Number.POSITIVE_INFINITY, 'due later'],
];
const NO_TERM = 'no due date';

interface Group {
  readonly name: string | undefined;
  readonly severities: Record<string, number>;
  readonly targets: Set<string>;
  total: number;
  overdue: number;
  /** Ms since 1970. */
  oldest: number;
}

/** Numbers of the findings that fit by a property of theirs. A finding of several owners counts for each. */
export const breakDownFindings: Operation<'lockhound.findings.breakdown'> = async (
  { params: { by, limit = LIMIT, ...filters }, principal },
  context,
) => {
  const list = await selectFindings(context, filters, principal);
  const { dueIn } = context.fleet.policy;
  const now = Date.now();
  const assigned = by === 'assignee' ? await firstShard(context.fleet).assignments.all() : undefined;
  const groups = new Map<string | undefined, Group>();
  for (const one of list) {
    const term = isAlert(one.finding) ? dueIn[countedSeverity(one.finding)] : undefined;
    const openedAt = one.status === 'open' ? Date.parse(one.openedAt) : undefined;
    const due = openedAt === undefined || term === undefined ? undefined : openedAt + term;
    for (const name of namesOf(one, by, { now, openedAt, due, assigned })) {
      const group = groups.get(name) ?? emptyGroup(name);
      groups.set(name, group);
      addTo(group, one, openedAt);
      if (due !== undefined && due <= now) group.overdue += 1;
    }
  }
  const labels = labelsOf(list);
  const sorted = [...groups.values()].sort(ORDERS[by] ?? compareWorst);
  return {
    groups: sorted.slice(0, limit).map(shownGroup),
    total: list.length,
    different: groups.size,
    labels: labels.slice(0, MAX_LABELS),
    ...(labels.length > MAX_LABELS ? { omittedLabels: labels.length - MAX_LABELS } : {}),
    ...unreadableOf(context, principal),
  };
};

interface Known {
  /** Who works on each issue, where that is asked for. */
  readonly assigned: ReadonlyMap<string, Assignment> | undefined;
  /** Ms since 1970, as the others. */
  readonly now: number;
  /** The time; absent for a finding that is not open. */
  readonly openedAt: number | undefined;
  readonly due: number | undefined;
}

function namesOf(
  { finding, labels }: ViewedFinding,
  by: string,
  { now, openedAt, due, assigned }: Known,
): readonly (string | undefined)[] {
  switch (by) {
    case 'age':
      return [openedAt === undefined ? undefined : rangeOf(AGES, (now - openedAt) / DAY_MS)];
    case 'due':
      return [due === undefined ? NO_TERM : rangeOf(TERMS, (due - now) / DAY_MS)];
    case 'owner':
      return finding.owners ?? [undefined];
    case 'assignee':
      return [assigned?.get(issueIdOf(finding))?.to];
    case 'rule':
      return [finding.rule];
    case 'ecosystem':
      return [finding.package.ecosystem];
    case 'license':
      return licensesOf(finding);
    default: {
      const name = by.slice('label:'.length);
      return [Object.hasOwn(labels, name) ? labels[name] : undefined];
    }
  }
}

function rangeOf(ranges: readonly (readonly [days: number, name: string])[], days: number): string {
  return ranges.find(([most]) => days <= most)?.[1] ?? NO_TERM;
}

/** The licences of a finding; empty for one that is not about a licence. */
function licensesOf({ rule, issue = '' }: ViewedFinding['finding']): readonly string[] {
  if (rule === 'licenses') return [issue];
  return rule === 'license-changed' ? [`changed from ${formerLicensesOf(issue).text}`] : [];
}

function emptyGroup(name: string | undefined): Group {
  return { name, severities: {}, targets: new Set(), total: 0, overdue: 0, oldest: Number.POSITIVE_INFINITY };
}

function addTo(group: Group, { finding, target }: ViewedFinding, openedAt: number | undefined): void {
  group.total += 1;
  group.severities[finding.severity] = (group.severities[finding.severity] ?? 0) + 1;
  group.targets.add(target);
  if (openedAt !== undefined) group.oldest = Math.min(group.oldest, openedAt);
}

function shownGroup({ name, severities, targets, total, overdue, oldest }: Group) {
  return {
    ...defined({ name }),
    ...{ total, severities, targets: targets.size, overdue },
    ...(Number.isFinite(oldest) ? { oldest: new Date(oldest).toISOString() } : {}),
  };
}

/** The most findings of the worst severity first. */
function compareWorst(left: Group, right: Group): number {
  for (const severity of SEVERITIES) {
    const more = (right.severities[severity] ?? 0) - (left.severities[severity] ?? 0);
    if (more !== 0) return more;
  }
  return compareText(left.name ?? '', right.name ?? '');
}

const ORDERS: Readonly<Record<string, (left: Group, right: Group) => number>> = {
  age: inOrderOf(AGES.map(([, name]) => name)),
  due: inOrderOf([...TERMS.map(([, name]) => name), NO_TERM]),
};

function inOrderOf(names: readonly string[]): (left: Group, right: Group) => number {
  return (left, right) => names.indexOf(left.name ?? '') - names.indexOf(right.name ?? '');
}

function labelsOf(list: readonly ViewedFinding[]): string[] {
  const names = new Set<string>();
  const seen = new Set<unknown>();
  for (const { [HOLDER]: holder, labels } of list) {
    if (seen.has(holder)) continue;
    seen.add(holder);
    for (const name of Object.keys(labels)) names.add(name);
  }
  return [...names].sort();
}
