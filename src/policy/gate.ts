import type { CheckReason } from '../model/api/lockhound-api.generated.ts';
import type { Finding } from '../model/scan/finding.ts';
import { GATE_DECISIONS, GATE_DEFAULTS, type GateCode, type GateDecision } from '../model/scan/gate.ts';
import type { Policy } from '../model/scan/policy.ts';
import { countedSeverity } from '../model/scan/severity.ts';
import { isMalware } from './rules/vulnerability.ts';
import { indexFinding } from './signals/index-finding.ts';
import { CRITICAL_SCORE } from './signals/suspicion.ts';

/** The codes of rules with another name. */
const CODES: Readonly<Record<string, GateCode>> = {
  unindexed: 'missing',
  licenses: 'license',
  'fresh-release': 'young',
};

/** The reason that a finding is. `policy`: that of the target. A suppressed finding allows. */
export function findingReason(finding: Finding, policy: Policy): CheckReason {
  const { title, severity, advisory, suppressed } = finding;
  const code = codeOf(finding);
  const reason = gateReason(code, title, policy);
  return {
    ...reason,
    severity,
    ...(advisory === undefined ? {} : { advisory: advisory.id }),
    ...(suppressed === undefined ? {} : { decision: 'allow', suppressed: true }),
  };
}

export function gateReason(code: GateCode, text: string, { gate = {} }: Pick<Policy, 'gate'>): CheckReason {
  const shown = code === 'unknown' ? `not known: ${text}` : text;
  return { code, decision: gate[code] ?? GATE_DEFAULTS[code], text: shown };
}

function codeOf(finding: Finding): GateCode {
  const { rule, advisory, suspicion, kev } = finding;
  if (advisory !== undefined) {
    if (isMalware(advisory)) return 'malware';
    const severity = countedSeverity(finding);
    if (severity === 'critical' && kev?.listed === true) return 'exploited';
    return severity === 'none' ? 'low' : severity;
  }
  // What the index itself calls malicious has that many points.
  const isReported = suspicion?.reasons.some(
    ({ signal, points }) => signal === indexFinding.name && points >= CRITICAL_SCORE,
  );
  if (isReported === true) return 'malware';
  if (Object.hasOwn(GATE_DEFAULTS, rule)) return rule as GateCode;
  return CODES[rule] ?? (suspicion === undefined ? 'other' : 'signal');
}

/** Whether nobody has rated the vulnerability, so that its severity is not known. */
export function isUnrated({ advisory, severity, suppressed }: Finding): boolean {
  return severity === 'unrated' && suppressed === undefined && advisory !== undefined && !isMalware(advisory);
}

/** The strictest of all decisions; without a reason a package is allowed. */
export function decisionOf(reasons: readonly CheckReason[]): GateDecision {
  return GATE_DECISIONS.findLast((one) => reasons.some(({ decision }) => decision === one)) ?? 'allow';
}

/** The strictest first. */
export function compareReasons(left: CheckReason, right: CheckReason): number {
  return GATE_DECISIONS.indexOf(right.decision) - GATE_DECISIONS.indexOf(left.decision);
}
