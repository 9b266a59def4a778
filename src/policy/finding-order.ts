import type { Change } from '../model/scan/change.ts';
import type { Finding } from '../model/scan/finding.ts';
import { priorityScore } from '../model/scan/priority.ts';
import { compareSeverity, countedSeverity } from '../model/scan/severity.ts';

/** Order of findings in reports: alerts before notes before suppressed ones, by priority, worst first. A total order, so that equal scans give equal lists. */
export function compareFindingOrder(left: Finding, right: Finding): number {
  return (
    Number(left.suppressed !== undefined) - Number(right.suppressed !== undefined) ||
    Number(left.level === 'note') - Number(right.level === 'note') ||
    priorityScore(right) - priorityScore(left) ||
    compareSeverity(countedSeverity(left), countedSeverity(right)) ||
    Number(left.severity === 'unrated') - Number(right.severity === 'unrated') ||
    (right.advisory?.score ?? 0) - (left.advisory?.score ?? 0) ||
    compareText(left.package.name, right.package.name) ||
    compareText(left.package.purl, right.package.purl) ||
    compareText(left.rule, right.rule) ||
    compareText(left.advisory?.id ?? '', right.advisory?.id ?? '') ||
    compareText(left.issue ?? '', right.issue ?? '')
  );
}

/** Sorts changes in the order of their findings. */
export function compareChanges(left: Pick<Change, 'finding'>, right: Pick<Change, 'finding'>): number {
  return compareFindingOrder(left.finding, right.finding);
}

/** By UTF-16 code units, like `<`. */
export function compareText(left: string, right: string): number {
  return left === right ? 0 : left < right ? -1 : 1;
}
