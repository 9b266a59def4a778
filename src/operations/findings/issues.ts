import type { ViewedFinding } from '../../fleet/view/viewed-target.ts';
import type { FleetFinding } from '../../model/fleet/fleet-finding.ts';
import type { Finding } from '../../model/scan/finding.ts';
import { perContext, unreadableOf } from '../context.ts';
import type { Operation } from '../operation.ts';
import { selectFindings } from './select.ts';
import { shownFinding, wholeFindings, withKnownFixes } from './shown.ts';

/** Issues in the answer, unless `limit` says another number. */
const LIMIT = 50;
/** Targets of one issue that are named. */
const NAMED = 5;

/** The findings that fit by issue: a version and its advisory or rule, with the targets that have it. */
export const listIssues: Operation<'lockhound.findings.issues'> = async ({ params, principal }, context) => {
  const { orderBy: order = 'severity', limit = LIMIT, ...filters } = params;
  const list = await selectFindings(context, filters, principal, { order, short: true });
  const grouped = remembered(context);
  const { issues, ...counts } = grouped.get(list) ?? groupIssues(list);
  grouped.set(list, { issues, ...counts });
  const shown = issues.slice(0, limit);
  const firsts = await wholeFindings(
    context,
    shown.map(([first]) => first),
  );
  const present = shown.flatMap((own, index) => {
    const first = firsts[index];
    return first === undefined ? [] : [{ own, first }];
  });
  const advised = await withKnownFixes(
    context.fleet,
    present.map(({ first }) => first),
  );
  return {
    issues: present.map(({ own, first }, index) => ({
      first: shownFinding(context, advised[index] ?? first),
      targets: own.length,
      named: own.slice(0, NAMED).map(({ target }) => target),
    })),
    ...counts,
    ...unreadableOf(context, principal),
  };
};

/** At least one finding. */
type Issue = readonly [ViewedFinding, ...ViewedFinding[]];

interface Grouped {
  readonly issues: readonly Issue[];
  readonly total: number;
  readonly different: number;
  readonly targets: number;
  readonly severities: Readonly<Record<string, number>>;
}

const remembered = perContext(() => new WeakMap<readonly FleetFinding[], Grouped>());

function groupIssues(list: readonly ViewedFinding[]): Grouped {
  const issues = new Map<string, [ViewedFinding, ...ViewedFinding[]]>();
  const targets = new Set<string>();
  const severities: Record<string, number> = {};
  // Findings of several targets may share what is known of their alert.
  const keys = new Map<Finding, string>();
  for (const one of list) {
    const { finding, status, target } = one;
    const key = keys.get(finding) ?? issueOf(finding, status);
    keys.set(finding, key);
    const known = issues.get(key);
    if (known === undefined) issues.set(key, [one]);
    else known.push(one);
    targets.add(target);
    severities[finding.severity] = (severities[finding.severity] ?? 0) + 1;
  }
  return {
    issues: [...issues.values()],
    total: list.length,
    different: issues.size,
    targets: targets.size,
    severities,
  };
}

function issueOf(finding: Finding, status: string): string {
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
