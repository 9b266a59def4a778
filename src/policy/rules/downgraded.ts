import type { Rule } from '../rule.ts';

/** A version that is earlier than one that had fixed a finding of the target. Each fix is an issue of its own. */
export const downgraded: Rule = {
  name: 'downgraded',
  description: 'The package went back below a version that had fixed a finding of this target.',
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
