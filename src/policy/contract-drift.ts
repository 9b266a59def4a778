import type { ContractComparison, ContractDifference } from '../model/api/contract.ts';
import { API_ECOSYSTEM } from '../model/lockfile/ecosystem.ts';
import type { Finding } from '../model/scan/finding.ts';
import { fingerprintOf } from './fingerprint.ts';

/** Its findings come from `check-contract`, not from a rule of the catalog. */
export const CONTRACT_DRIFT = 'contract-drift';

/**
 * One finding for each breaking difference between a published API document and the pinned one. High, because a job that is
 * affected fails or, worse, reads less than it should.
 */
export function contractDrift(target: string, comparison: ContractComparison): readonly Finding[] {
  const { api, version, source, differences } = comparison;
  const purl = `pkg:generic/${encodeURIComponent(api)}@${encodeURIComponent(version)}`;
  return differences
    .filter((difference) => difference.class === 'breaking')
    .map((difference): Finding => {
      const issue = issueOf(difference);
      return {
        fingerprint: fingerprintOf(target, CONTRACT_DRIFT, purl, issue),
        rule: CONTRACT_DRIFT,
        level: 'alert',
        severity: 'high',
        title: titleOf(difference),
        package: { ecosystem: API_ECOSYSTEM, name: api, version, purl, direct: true, groups: [] },
        issue,
        locations: [{ path: source, dependencyPath: [] }],
        advice: `Compare with \`lockhound api diff ${api} ${source}\` and update Lockhound before it breaks.`,
      };
    });
}

/** Without the message: that changes with each further difference at the same path. */
function issueOf({ kind, path }: ContractDifference): string {
  return `${kind} ${path}`;
}

function titleOf({ subject, path, message }: ContractDifference): string {
  return subject === 'document' ? `${path}: ${message}` : `${subject} ${path}: ${message}`;
}
