import type { Rule } from '../rule.ts';

/**
 * Versions that the index never had. A note, because the index lags behind the registries by hours to weeks; one that stays
 * unindexed longer becomes an alert. Each version is a separate issue, so that the time starts again with a new one.
 */
export const unindexed: Rule = {
  name: 'unindexed',
  description:
    'The index never had the version. An alert after `policy.unindexedAfter` (14 days), since the index lags behind the registries.',
  readsRecords: false,
  level: 'note',
  severity: 'medium',
  noteLimit: ({ unindexedAfter }) => unindexedAfter,
  judge({ locked: { name, version, resolution } }) {
    if (resolution.outcome !== 'missing' || resolution.seenBefore === true) return [];
    const title = `${name}@${version} is not in the package index`;
    const advice =
      'New releases take up to weeks to be indexed. If it is private, list its name in insights.privatePackages.';
    return [{ title, issue: version, advice }];
  },
};
