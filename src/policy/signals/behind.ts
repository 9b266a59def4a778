import { compareLines, type Detector, datedReleases, LIST, lineOf, spanOf } from './detector.ts';

const DAY_MS = 24 * 3_600_000;
const SILENCE_MS = 365 * DAY_MS;
const CURRENT_MS = 180 * DAY_MS;

export const behind: Detector = {
  name: 'behind',
  title: 'The locked line of a package has had no release for a year',
  description: 'The locked line has had no release for a year, and a later one has.',
  help: {
    means:
      'a new package of the target is on a line without a release for a year, while a later line has ' +
      'releases. It is a reason of other findings, and a finding of its own only when `policy.rules` ' +
      'gives it a level.',
    sure: 'sure about the dates; a line may be finished.',
    todo: 'plan the update to a line that has releases.',
  },
  level: 'off',
  points: { '': 0 },
  reads: LIST,
  detect({ key, at, releases }) {
    const all = datedReleases(releases);
    const line = lineOf(key.version);
    const own = all.filter(({ version }) => lineOf(version) === line).at(-1);
    const later = all.filter(({ version }) => compareLines(lineOf(version), line) > 0).at(-1);
    if (own === undefined || later === undefined) return undefined;
    if (at - own.publishedAt < SILENCE_MS || at - later.publishedAt > CURRENT_MS) return undefined;
    return {
      text: `is on line ${line}, which had no release for ${spanOf(at - own.publishedAt)}; ${later.version} is newer`,
    };
  },
};
