import { type Detector, datedReleases, LIST, releaseAmong, spanOf } from './detector.ts';

const EARLY_MS = 7 * 24 * 3_600_000;

/**
 * The version was deprecated within days of its publication. Where an older version is the default again, its authors took it back. Where everything
 * old is deprecated as well, they gave the package up, which says nothing of this version.
 */
export const withdrawn: Detector = {
  name: 'withdrawn',
  title: 'A locked version was deprecated within days',
  description: 'The version was deprecated within days of its publication.',
  help: {
    means:
      'the authors deprecated the version within 7 days of its publication, and not the whole package ' +
      'with everything that is old.',
    sure: 'sure that they took it back; why is open.',
    todo: 'lock another version.',
  },
  points: { 'default-moved-back': 3, plain: 2 },
  reads: LIST,
  detect({ key, at, releases }) {
    const locked = releases.find(({ version }) => version === key.version);
    if (locked?.publishedAt === undefined || !locked.isDeprecated) return undefined;
    const age = at - locked.publishedAt;
    if (age > EARLY_MS) return undefined;
    const { before = [] } = releaseAmong(releases, key.version) ?? {};
    const isGivenUp =
      before.every(({ isDeprecated }) => isDeprecated) &&
      before.some(({ publishedAt }) => at - publishedAt > EARLY_MS);
    const text = `was deprecated within ${spanOf(Math.max(0, age))} of its publication`;
    const byDefault = datedReleases(releases).find(({ isDefault }) => isDefault);
    if (byDefault === undefined || byDefault.publishedAt >= locked.publishedAt)
      return isGivenUp ? undefined : { grade: 'plain', text };
    return {
      grade: 'default-moved-back',
      text: `${text}, and ${byDefault.version} is the default version again`,
    };
  },
};
