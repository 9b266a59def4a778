import type { ContractComparison, ContractDifference } from '../model/api/contract.ts';
import { API_ECOSYSTEM } from '../model/lockfile/ecosystem.ts';
import type { Finding } from '../model/scan/finding.ts';
import type { RuleText } from './rule.ts';
import { fingerprintOf } from './same-finding.ts';

export const CONTRACT_DRIFT = 'contract-drift';

/** Its findings come from `check-contract`. */
export const contractDriftText: RuleText = {
  name: CONTRACT_DRIFT,
  title: 'A service that Lockhound uses changed its contract',
  description: 'A service that Lockhound uses changed its contract.',
  help: {
    means:
      'the published description of a service differs from the one that this release was built for, ' +
      'in a way that breaks requests or answers.',
    sure: 'sure about the documents. Additions are no findings.',
    todo:
      '`lockhound api diff` shows the difference. Update Lockhound; until then, scans that are ' +
      'affected are incomplete.',
  },
};

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

/** The kind and path of a difference. Its message changes with each further difference at the same path. */
function issueOf({ kind, path }: ContractDifference): string {
  return `${kind} ${path}`;
}

function titleOf({ subject, path, message }: ContractDifference): string {
  return subject === 'document' ? `${path}: ${message}` : `${subject} ${path}: ${message}`;
}
