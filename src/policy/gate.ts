import type { Finding } from '../model/scan/finding.ts';
import {
  GATE_CODES,
  GATE_DECISIONS,
  GATE_DEFAULTS,
  type GateCode,
  type GateDecision,
  type GateReason,
} from '../model/scan/gate.ts';
import type { Policy } from '../model/scan/policy.ts';
import { countedSeverity } from '../model/scan/severity.ts';
import { deprecated } from './rules/deprecated.ts';
import { licenses } from './rules/licenses.ts';
import { quarantined } from './rules/quarantined.ts';
import { suspicious } from './rules/suspicious.ts';
import { unindexed } from './rules/unindexed.ts';
import { vanished } from './rules/vanished.ts';
import { isMalware } from './rules/vulnerability.ts';
import { freshRelease } from './signals/fresh-release.ts';
import { indexFinding } from './signals/index-finding.ts';
import { lookAlike } from './signals/look-alike.ts';
import { CRITICAL_SCORE } from './signals/score.ts';

/** The codes of the rules whose findings are not about an advisory. Signals that are no incident have `signal`. */
const CODES: Readonly<Record<string, GateCode>> = {
  [quarantined.name]: 'quarantined',
  [vanished.name]: 'vanished',
  [unindexed.name]: 'missing',
  [licenses.name]: 'license',
  [deprecated.name]: 'deprecated',
  [suspicious.name]: 'suspicious',
  [lookAlike.name]: 'look-alike',
  [freshRelease.name]: 'young',
};

/** The reason that a finding is. `policy`: that of the target. A suppressed finding allows. */
export function findingReason(finding: Finding, policy: Policy): GateReason {
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

export function gateReason(code: GateCode, text: string, { gate = {} }: Pick<Policy, 'gate'>): GateReason {
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
  return CODES[rule] ?? (suspicion === undefined ? 'other' : 'signal');
}

/** The strictest of all decisions; without a reason a package is allowed. */
export function decisionOf(reasons: readonly GateReason[]): GateDecision {
  return GATE_DECISIONS.findLast((one) => reasons.some(({ decision }) => decision === one)) ?? 'allow';
}

/** The strictest first, then in the order of their codes. */
export function compareReasons(left: GateReason, right: GateReason): number {
  return (
    GATE_DECISIONS.indexOf(right.decision) - GATE_DECISIONS.indexOf(left.decision) ||
    GATE_CODES.indexOf(left.code) - GATE_CODES.indexOf(right.code)
  );
}
