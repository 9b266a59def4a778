import type { Rule } from '../rule.ts';

export const downgraded: Rule = {
  name: 'downgraded',
  title: 'A package went back below a version that had fixed a finding',
  description: 'The package went back below a version that had fixed a finding of this target.',
  help: {
    means:
      'a target locks a package at a version that is earlier than one that had fixed a finding of the ' +
      'same lockfile (`vulnerability`, `suspicious` or `vanished`), and no longer locks a later ' +
      'version there. A target remembers its last 200 fixes. Versions that were locked beside the ' +
      'fix, and versions whose order is not known, do not count. The finding ends when the package is ' +
      'at the fix or later again.',
    sure:
      'sure about the versions; why is open. Whether the old fault matters again is said by ' +
      '[`vulnerability`](vulnerability.md).',
    todo:
      'lock the fixed version again, or find out why it went back: a merge that restored an old ' +
      'lockfile and a reverted commit are the usual reasons.',
  },
  readsRecords: false,
  level: 'note',
  severity: 'low',
  applies: ({ downgrades }) => downgrades !== undefined && downgrades.size > 0,
  judge({ locked: { name, version, purl } }, { downgrades }) {
    const fix = downgrades?.get(purl);
    if (fix === undefined) return [];
    return [
      {
        key: fix.version,
        title: `${name} ${version} is earlier than ${fix.version}, which fixed ${fix.issue} here on ${fix.at.slice(0, 10)}`,
        issue: fix.version,
        advice: `Lock ${fix.version} or a later version again, or find out why the package went back.`,
      },
    ];
  },
};
