import type { ExploitData } from '../../model/exploits/exploit-data.ts';
import type { Finding, Priority } from '../../model/scan/finding.ts';
import { SEVERITY_POINTS } from '../../model/scan/priority.ts';
import { countedSeverity } from '../../model/scan/severity.ts';
import { mapInSlices } from '../../model/yielding.ts';
import type { Comparison } from '../changes.ts';
import { compareChanges, compareFindingOrder } from '../finding-order.ts';
import { isMalware, severityOf } from '../rules/vulnerability.ts';
import { withExploits } from './exploits.ts';

interface PriorityInput {
  /** Number of targets that have the finding's issue. Default 1. */
  readonly targets?: number | undefined;
}

type Part = Priority['parts'][number];

const MAX = 100;
const POINTS_PER_CVSS = 6;
const KNOWN_EXPLOITED = 25;
const RANSOMWARE = 5;
const DIRECT = 5;
const DEVELOPMENT = -15;
const CONDITIONAL = -5;
const MAX_TARGETS = 5;

/** Points by the least probability, the highest first. */
const EPSS_POINTS = [
  { from: 0.5, points: 15 },
  { from: 0.1, points: 10 },
  { from: 0.01, points: 4 },
] as const;

/** The best first. */
const FIX_POINTS = [
  { kind: 'in-range', points: 5, reason: 'fixed by locking again' },
  { kind: 'upgrade-direct', points: 3, reason: 'fixed by an upgrade' },
] as const;

/** Groups that are not part of what is delivered. */
const DEVELOPMENT_GROUPS: ReadonlySet<string> = new Set([
  'dev',
  'development',
  'test',
  'tests',
  'testing',
  'lint',
  'docs',
]);

/**
 * The priority of a finding: the sum of its parts, 0 to 100. docs/priority.md has the table. A part that is unknown has no points, so
 * a finding without a score is a normal one with the points of its severity.
 */
export function priorityOf(finding: Finding, input: PriorityInput = {}): Priority {
  const parts = [
    severityPart(finding),
    ...kevParts(finding),
    ...epssParts(finding),
    ...placeParts(finding),
    ...fixParts(finding),
    ...targetParts(input.targets ?? 1),
  ];
  const sum = parts.reduce((total, { points }) => total + points, 0);
  return { score: Math.min(MAX, Math.max(0, sum)), parts };
}

/** The finding with its priority. */
export function withPriority(finding: Finding, input: PriorityInput = {}): Finding {
  return { ...finding, priority: priorityOf(finding, input) };
}

function severityPart(finding: Finding): Part {
  const { advisory, severity } = finding;
  if (advisory !== undefined && isMalware(advisory)) return part('severity', MAX, 'malware');
  // A severity that the configuration or a rule changed counts in place of the score.
  if (advisory?.score !== undefined && severityOf(advisory) === severity) {
    const by = advisory.scoredBy === undefined ? '' : ` by ${advisory.scoredBy}`;
    return part(
      'severity',
      Math.round(advisory.score * POINTS_PER_CVSS),
      `CVSS ${advisory.score.toFixed(1)}${by}`,
    );
  }
  // `policy.developmentStep` does not count here: the group has points of its own.
  const { stepsLess: _, ...unlowered } = finding;
  const counted = countedSeverity(unlowered);
  const reason = severity === 'unrated' ? `no score, counts as ${counted}` : counted;
  return part('severity', SEVERITY_POINTS[counted], reason);
}

function kevParts({ kev }: Finding): readonly Part[] {
  if (kev?.listed !== true) return [];
  const since = kev.added === undefined ? '' : ` since ${kev.added}`;
  const listed = part('kev', KNOWN_EXPLOITED, `known to be exploited${since}`);
  return kev.ransomware === true ? [listed, part('ransomware', RANSOMWARE, 'used by ransomware')] : [listed];
}

function epssParts({ epss }: Finding): readonly Part[] {
  if (epss === undefined) return [];
  const points = EPSS_POINTS.find(({ from }) => epss.score >= from)?.points ?? 0;
  return [part('epss', points, `EPSS ${percent(epss.score)}`)];
}

function placeParts({ package: { direct, groups } }: Finding): readonly Part[] {
  const parts = direct === true ? [part('direct', DIRECT, 'direct dependency')] : [];
  if (groups.length === 0) return parts;
  const names = groups.join(', ');
  const isDevelopment = groups.every((group) => DEVELOPMENT_GROUPS.has(group));
  return [...parts, part('group', isDevelopment ? DEVELOPMENT : CONDITIONAL, `only in ${names}`)];
}

function fixParts({ fixes = [] }: Finding): readonly Part[] {
  const best = FIX_POINTS.find(({ kind }) => fixes.some((fix) => fix.kind === kind));
  return best === undefined ? [] : [part('fix', best.points, best.reason)];
}

/** One point for each doubling. */
function targetParts(targets: number): readonly Part[] {
  const points = Math.min(MAX_TARGETS, Math.floor(Math.log2(Math.max(1, targets))));
  return points === 0 ? [] : [part('targets', points, `${targets} targets`)];
}

function part(name: string, points: number, reason: string): Part {
  return { name, points, reason };
}

/** `97 %`, and one decimal below ten. */
function percent(share: number): string {
  const value = share * 100;
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} %`;
}

/**
 * The comparison with the priority of each finding and change, and sorted by it. What is stored has no priority: it follows from
 * current data, and a new probability of exploitation is no new state. `detailed` adds what else is known of a finding.
 */
export async function prioritised(
  comparison: Comparison,
  data: ExploitData,
  detailed: (finding: Finding) => Finding = (finding) => finding,
): Promise<Comparison> {
  const current = (finding: Finding) => withPriority(detailed(withExploits(finding, data)));
  const findings = await mapInSlices(comparison.findings, current);
  const known = new Map(comparison.findings.map((finding, index) => [finding, findings[index]]));
  const changes = await mapInSlices(comparison.changes, (change) => ({
    ...change,
    // A resolution has the probability that was reported, so that it is routed to the same receivers.
    finding:
      change.transition === 'resolved'
        ? withPriority(change.finding)
        : (known.get(change.finding) ?? current(change.finding)),
  }));
  return {
    ...comparison,
    findings: findings.toSorted(compareFindingOrder),
    changes: changes.toSorted(compareChanges),
  };
}
