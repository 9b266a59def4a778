import { type Finding, SEVERITIES } from '../model/finding.ts';

/** The order in which people read findings; total, so that equal scans give equal lists. */
export function compareFindingOrder(left: Finding, right: Finding): number {
  return (
    SEVERITIES.indexOf(left.severity) - SEVERITIES.indexOf(right.severity) ||
    (right.advisory?.score ?? 0) - (left.advisory?.score ?? 0) ||
    compareText(left.package.name, right.package.name) ||
    compareText(left.package.purl, right.package.purl) ||
    compareText(left.rule, right.rule) ||
    compareText(left.advisory?.id ?? '', right.advisory?.id ?? '') ||
    compareText(left.issue ?? '', right.issue ?? '')
  );
}

function compareText(left: string, right: string): number {
  return left === right ? 0 : left < right ? -1 : 1;
}
