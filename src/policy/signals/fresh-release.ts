import { type Detector, spanOf, timeOf } from './detector.ts';
import { LIST } from './inputs.ts';

export const freshRelease: Detector = {
  name: 'fresh-release',
  title: 'A locked version was published days ago',
  description: 'The version was published less than `policy.minimumAge` (72 h) before it was locked.',
  help: {
    means:
      'the version was published less than `policy.minimumAge` (72 h) before it was inspected. It ' +
      'ends by itself. Most updates have it, so it is a reason of other findings, and a finding of ' +
      'its own only when `policy.rules` gives it a level: a route can then hold back merges, and not ' +
      'people.',
    sure: 'sure about the time; most young releases are honest.',
    todo: 'wait, where nothing is urgent.',
  },
  level: 'off',
  points: { '': 1 },
  reads: LIST,
  detect({ key, at, releases }, { minimumAge }) {
    const publishedAt = releases.find(({ version }) => version === key.version)?.publishedAt;
    if (publishedAt === undefined) return undefined;
    const age = at - publishedAt;
    if (age >= minimumAge) return undefined;
    return { text: `was published ${spanOf(Math.max(0, age))} ago (${timeOf(publishedAt)})` };
  },
};
