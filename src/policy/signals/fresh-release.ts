import type { Detector } from './detector.ts';
import { spanOf, timeOf } from './words.ts';

/** The version was published so recently that few people can have looked at it. It ends by itself. */
export const freshRelease: Detector = {
  signal: 'fresh-release',
  detect({ key, at, releases }, { minimumAge }) {
    const publishedAt = releases.find(({ version }) => version === key.version)?.publishedAt;
    if (publishedAt === undefined) return undefined;
    const age = at - publishedAt;
    if (age >= minimumAge) return undefined;
    return { text: `was published ${spanOf(Math.max(0, age))} ago (${timeOf(publishedAt)})` };
  },
};
