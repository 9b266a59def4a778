import type { Rule } from '../rule.ts';

/**
 * Versions that the index never had. A note, because the index lags behind the registries by hours to weeks; one that stays
 * unindexed longer becomes an alert. Each version is a separate issue, so that the time starts again with a new one.
 */
export const unindexed: Rule = {
  name: 'unindexed',
  title: 'A locked version is not in the package index',
  description:
    'The index never had the version. An alert after `policy.unindexedAfter` (14 days), since the index lags behind the registries.',
  help: {
    means: 'the index knows the package and not this version, and never did.',
    sure:
      'a note at first, since the index is hours to weeks behind the registries; an alert after ' +
      '`policy.unindexedAfter` (14 days). A private package with the name of a public one looks the ' +
      'same.',
    todo:
      'list private names in `insights.privatePackages`. If the package should be public, check where ' +
      'the lockfile gets it from: a version that the registry does not have comes from elsewhere.',
  },
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
