import type { Rule } from '../rule.ts';

/**
 * Versions that the index no longer has. High, because most were taken down for a reason, and a freed name can be claimed by
 * an attacker. Each version is a separate issue.
 */
export const vanished: Rule = {
  name: 'vanished',
  title: 'A locked version is no longer in the package index',
  description:
    'The index had the version in an earlier scan of this installation and no longer has it: unpublished or taken down.',
  help: {
    means:
      'the index had this version in an earlier scan and no longer has it: it was unpublished or ' +
      'taken down.',
    sure:
      'sure about the index: this installation saw the version there. Not about the reason; authors ' +
      'also remove releases by mistake. When the index lost most of what it knew, nothing is reported ' +
      'as vanished and the scan is incomplete.',
    todo: 'find out why before you install it from a cache or a mirror. Until then, lock another version.',
  },
  readsRecords: false,
  level: 'alert',
  severity: 'high',
  judge({ locked: { name, version, resolution } }) {
    if (resolution.outcome !== 'missing' || resolution.seenBefore !== true) return [];
    const title = `${name}@${version} is no longer in the package index`;
    const advice =
      'It was unpublished or taken down. Find out why before you install it from a cache or mirror.';
    return [{ title, issue: version, advice }];
  },
};
