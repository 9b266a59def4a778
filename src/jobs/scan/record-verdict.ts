import { defined } from '../../model/defined.ts';
import type { LedgerFinding, LedgerNote, ScannedRevision } from '../../model/fleet/ledger.ts';
import type { LoggedChanges } from '../../model/fleet/logged-changes.ts';
import type { TargetSummary } from '../../model/fleet/target-summary.ts';
import type { DigestAddition, TargetChange } from '../../model/queue/outcome.ts';
import type { Change, TargetState } from '../../model/scan/change.ts';
import { mayHide } from '../../model/scan/gap.ts';
import { isAlert } from '../../model/scan/is-alert.ts';
import type { Severity } from '../../model/scan/severity.ts';
import type { Verdict } from '../../model/scan/verdict.ts';
import { worstChanges } from '../../policy/worst-changes.ts';
import { type ComparedScan, type ComparisonRules, compareScan, type JudgedScan } from '../../scan/compare.ts';
import { isNew, nonZero } from '../../scan/target-lockfiles.ts';
import type { JobRun, LogFacts } from '../job.ts';
import type { Ports } from '../ports.ts';
import { deliveriesOf } from './deliveries.ts';
import { type KnownAdvice, NO_ADVICE } from './known-advice.ts';
import { judgedRecord } from './record.ts';

interface RecordedScan extends JudgedScan {
  readonly advice?: KnownAdvice;
  /** The settings by which it is compared, where they were read before. */
  readonly rules?: ComparisonRules;
}

/** Compares a judged scan with the state of its target. The runtime saves the new state atomically with the verdict. */
export async function recordVerdict(
  judged: RecordedScan,
  ports: Pick<Ports, 'routing' | 'policy'>,
): Promise<JobRun<Verdict>> {
  const { advice = NO_ADVICE } = judged;
  const rules = judged.rules ?? (await comparisonRules(ports));
  const { verdict, routed, resolved, replaces, state, lockfiles } = await compareScan(judged, rules);
  if (state === undefined) {
    return { result: verdict, next: [], ...(verdict.superseded ? { record: judgedRecord(verdict, 0) } : {}) };
  }
  const { next, filed, digests, told } = deliveriesOf(verdict, routed, resolved, judged.previous?.told);
  return {
    result: verdict,
    next: [...next, ...advice.next],
    deliveries: filed,
    record: judgedRecord(verdict, filed.length),
    state: targetChange(
      verdict,
      { replaces, state: { ...state, ...defined({ told }) }, digests },
      { ...defined({ lockfiles }), revision: judged.inventory?.revision },
    ),
  };
}

/** The effects of a verdict on one part of a target. */
export function recordPartVerdict(
  { verdict, routed, replaces, state }: ComparedScan,
  previous: TargetState | undefined,
): JobRun<Verdict> {
  if (state === undefined) return { result: verdict, next: [], record: judgedRecord(verdict, 0) };
  const { next, filed, digests, told } = deliveriesOf(verdict, routed, [], previous?.told);
  const after = { ...state, ...defined({ told }) };
  return {
    result: verdict,
    next,
    deliveries: filed,
    record: judgedRecord(verdict, filed.length),
    state: targetChange(verdict, { replaces, state: after, digests }),
  };
}

/** The settings of this process by which scans are compared. */
export async function comparisonRules({
  routing,
  policy,
}: Pick<Ports, 'routing' | 'policy'>): Promise<ComparisonRules> {
  return {
    routing: routing.routing(),
    policy: policy.policy(),
    suppressions: await policy.suppressions(),
  };
}

/** Changes of one scan in the log of the fleet. */
const MAX_LOGGED = 1_000;

/** The values that are saved with a verdict: the target's new state, its entry in the list of the fleet, and its changes. */
function targetChange(
  verdict: Verdict,
  { replaces, state, digests }: Pick<TargetChange, 'replaces' | 'state' | 'digests'>,
  {
    lockfiles,
    revision,
  }: Pick<TargetChange, 'lockfiles'> & { readonly revision?: ScannedRevision | undefined } = {},
): TargetChange {
  const { target, open, complete } = verdict;
  const log = loggedChanges(verdict);
  return {
    target: target.id,
    replaces,
    state,
    ...(digests === undefined ? {} : { digests: digests satisfies readonly DigestAddition[] }),
    ...defined({ lockfiles }),
    summary: {
      labels: target.labels,
      open: nonZero(open),
      openByRule: openByRule(state.findings),
      ...suppressedIn(state.findings),
      requestedAt: state.requestedAt,
      ...(complete ? {} : { incomplete: true }),
      ...defined({ supportedUntil: state.release?.supportedUntil }),
    },
    ...defined({ log }),
    ledger: ledgerNote(verdict, revision),
  };
}

/** The note for the ledger of the target: alerts that changed, with the routes that get them. */
function ledgerNote(
  { scan, target, requestedAt, changes: all, routed = {} }: Verdict,
  revision: ScannedRevision | undefined,
): LedgerNote {
  const routesOf = new Map<Change, string[]>();
  for (const [route, indexes] of Object.entries(routed)) {
    for (const index of indexes) {
      const change = all[index];
      if (change !== undefined) routesOf.set(change, [...(routesOf.get(change) ?? []), route]);
    }
  }
  const alerts = all.filter((change) => isNew(change) && change.finding.level === 'alert');
  const listed = worstChanges(alerts, MAX_LOGGED).changes;
  const omitted = alerts.length - listed.length;
  return {
    ...revision,
    scan,
    requestedAt,
    labels: target.labels,
    findings: listed.map((change) => ledgerFinding(change, routesOf.get(change))),
    ...(omitted === 0 ? {} : { omitted }),
  };
}

/** Names of an advisory in the ledger, beside its id. */
const MAX_ALIASES = 4;

function ledgerFinding(
  { transition, finding, since }: Change,
  routes: readonly string[] | undefined,
): LedgerFinding {
  const { rule, severity, advisory } = finding;
  return {
    transition,
    rule,
    severity,
    purl: finding.package.purl,
    ...(advisory === undefined ? {} : { advisory: advisory.id }),
    ...(advisory === undefined || advisory.aliases.length === 0
      ? {}
      : { aliases: advisory.aliases.slice(0, MAX_ALIASES) }),
    ...defined({ routes, since }),
  };
}

function loggedChanges({ scan, target, requestedAt, changes: all }: Verdict): LoggedChanges | undefined {
  const changes = all.filter(isNew);
  if (changes.length === 0) return undefined;
  const listed = worstChanges(changes, MAX_LOGGED).changes;
  const omitted = changes.length - listed.length;
  return {
    scan,
    target: target.id,
    labels: target.labels,
    requestedAt,
    changes: listed.map(({ transition, finding }) => ({
      transition,
      fingerprint: finding.fingerprint,
      rule: finding.rule,
      level: finding.level,
      severity: finding.severity,
      purl: finding.package.purl,
      title: finding.title,
      ...(finding.advisory === undefined ? {} : { advisory: finding.advisory.id }),
    })),
    ...(omitted === 0 ? {} : { omitted }),
  };
}

/** Number of open findings that are suppressed. */
function suppressedIn(tracked: TargetState['findings']): Pick<TargetSummary, 'suppressed'> {
  const suppressed = tracked.filter(
    ({ status, finding }) => status === 'open' && finding.suppressed !== undefined,
  ).length;
  return suppressed === 0 ? {} : { suppressed };
}

/** Open findings by rule and severity, without notes and suppressed ones. */
function openByRule(tracked: TargetState['findings']): TargetSummary['openByRule'] {
  const rules: Record<string, Partial<Record<Severity, number>>> = {};
  for (const { finding, status } of tracked) {
    if (status !== 'open' || !isAlert(finding)) continue;
    const counts = rules[finding.rule] ?? {};
    rules[finding.rule] = counts;
    counts[finding.severity] = (counts[finding.severity] ?? 0) + 1;
  }
  return rules;
}

/** Gaps that a log line names. */
const MAX_LOGGED_GAPS = 5;

/** The log fields of a judged scan, with a warning when it is incomplete. */
export function logVerdict(scan: string, verdict: Verdict): LogFacts {
  const { target, counts, changes, gaps, partial, kept, superseded } = verdict;
  const { lockfiles, packages, severities } = counts;
  const facts = {
    scan,
    target: target.id,
    lockfiles,
    packages,
    findings: severities,
    changes: changes.length,
    kept,
    gaps: gaps.length,
    partial: partial || undefined,
    superseded: superseded || undefined,
  };
  const hiding = gaps.filter(mayHide);
  if (hiding.length === 0) return { facts };
  return {
    facts: {
      ...facts,
      firstGaps: hiding
        .slice(0, MAX_LOGGED_GAPS)
        .map(({ subject, reason }) => `${subject}: ${reason.slice(0, 200)}`),
    },
    warning: 'the scan is incomplete and resolves only findings that are provably gone',
  };
}
