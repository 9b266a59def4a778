import { type Detector, LIST, spanOf, timeOf } from './detector.ts';

export const freshRelease: Detector = {
  name: 'fresh-release',
  title: 'A locked version was published days ago',
  description: 'The version was published less than `policy.minimumAge` (72 h) before it was locked.',
  help: {
    means:
      'the version was published less than `policy.minimumAge` (72 h) before it was inspected, or the ' +
      'index advises to wait (`cooldown`). It ' +
      'ends by itself. Most updates have it, so it is a reason of other findings, and a finding of ' +
      'its own only when `policy.rules` gives it a level: a route can then hold back merges, and not ' +
      'people.',
    sure: 'sure about the time; most young releases are honest.',
    todo: 'wait, where nothing is urgent.',
  },
  level: 'off',
  points: { '': 1 },
  reads: LIST,
  detect({ key, at, releases, details }, { minimumAge }) {
    const publishedAt = releases.find(({ version }) => version === key.version)?.publishedAt;
    const { cooldownEnd = 0 } = details?.get(key.version) ?? {};
    const wait = cooldownEnd > at ? `the index advises to wait until ${timeOf(cooldownEnd)}` : '';
    if (publishedAt === undefined) return wait === '' ? undefined : { text: `is so new that ${wait}` };
    const age = at - publishedAt;
    if (age >= minimumAge && wait === '') return undefined;
    const published = `was published ${spanOf(Math.max(0, age))} ago (${timeOf(publishedAt)})`;
    return { text: wait === '' ? published : `${published}, and ${wait}` };
  },
};
