import { type LicenseFault, licenseFault } from '../licenses.ts';
import type { Rule } from '../rule.ts';

/** Licences that the lists of the configuration do not permit (`policy.licenses`). Without lists it finds nothing. */
export const licenses: Rule = {
  name: 'licenses',
  description: 'The licence of the version is denied, not allowed or not known (`policy.licenses`).',
  readsRecords: true,
  level: 'alert',
  severity: 'medium',
  applies: ({ policy }) => policy.licenses !== undefined,
  judge({ locked: { name, version, resolution } }, { policy }) {
    const { record } = resolution;
    if (record === undefined || policy.licenses === undefined) return [];
    // Its licences are not known, which is a gap.
    if (record.advisoriesAsOf !== undefined) return [];
    const fault = licenseFault(record.licenses, policy.licenses);
    if (fault === undefined) return [];
    const title = `${name}@${version} ${textOf(fault)}`;
    // Another licence is another issue.
    const issue = 'licenses' in fault ? `${fault.kind} ${fault.licenses.join(' ')}` : fault.kind;
    return [{ key: issue, issue, title, ...('licenses' in fault ? {} : { severity: 'low' as const }) }];
  },
};

function textOf(fault: LicenseFault): string {
  switch (fault.kind) {
    case 'denied':
      return `has a denied licence: ${fault.licenses.join(', ')}`;
    case 'not-allowed':
      return `has a licence that is not allowed: ${fault.licenses.join(', ')}`;
    case 'non-standard':
      return 'has a licence that is no SPDX expression';
    case 'unknown':
      return 'has no known licence';
  }
}
