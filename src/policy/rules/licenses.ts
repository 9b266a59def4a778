import { type LicenseFault, licenseFault } from '../licenses.ts';
import type { Rule } from '../rule.ts';

export const licenses: Rule = {
  name: 'licenses',
  title: 'The licence of a locked version is not permitted',
  description: 'The licence of the version is denied, not allowed or not known (`policy.licenses`).',
  help: {
    means:
      'the licence of the version is denied, not allowed, no SPDX expression or not known, by the ' +
      'lists of [`policy.licenses`](../suppressions.md#licences). Without lists there are no ' +
      'findings.',
    sure:
      'it is what the registry states for the version. The files in the package may say something ' + 'else.',
    todo:
      'replace the package, or allow the licence after someone responsible has looked at it. One ' +
      'package is allowed by a [suppression](../suppressions.md) with its reason.',
  },
  readsRecords: true,
  level: 'alert',
  severity: 'medium',
  applies: ({ policy }) => policy.licenses !== undefined,
  judge({ locked: { name, version, resolution } }, { policy }) {
    const { record } = resolution;
    if (record === undefined || policy.licenses === undefined) return [];
    // Its licences are not known, which is a gap.
    if (record.advisoriesOnly !== undefined) return [];
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
