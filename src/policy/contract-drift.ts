import type { ContractComparison, ContractDifference } from '../model/api/contract.ts';
import { API_ECOSYSTEM } from '../model/scan/ecosystem.ts';
import type { Finding } from '../model/scan/finding.ts';
import { fingerprintOf } from './fingerprint.ts';

/** The rule of these findings; `check-contract` judges by it, not the catalog. */
export const CONTRACT_DRIFT = 'contract-drift';

/**
 * A published document that differs from the one Lockhound is made for in ways that break it; one finding a difference.
 * High: a job that meets it fails or, worse, reads less than it should.
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

/** What and where, without the words: those change with every further difference at the same place. */
function issueOf({ kind, path }: ContractDifference): string {
  return `${kind} ${path}`;
}

function titleOf({ subject, path, message }: ContractDifference): string {
  return subject === 'document' ? `${path}: ${message}` : `${subject} ${path}: ${message}`;
}
