import { type Detector, datedReleases, LIST, spanOf } from './detector.ts';

const SILENCE_MS = 3 * 365 * 24 * 3_600_000;

/** A check of scorecards. */
const MAINTAINED = 'Maintained';

export const unmaintained: Detector = {
  name: 'unmaintained',
  title: 'A package is not maintained',
  description:
    'The package has had no release for three years, or its project is not maintained by its scorecard.',
  help: {
    means:
      'a new package of the target has had no release for three years, or `Maintained` is 0 in the ' +
      'scorecard of its source project.',
    sure: 'sure about the dates; a package may be finished.',
    todo: 'prefer a maintained package.',
  },
  points: { '': 0 },
  reads: LIST,
  detect({ at, releases, projects = [] }) {
    const last = datedReleases(releases).at(-1);
    if (last === undefined) return undefined;
    if (at - last.publishedAt < SILENCE_MS) {
      const project = projects.find(({ now }) => now?.checks[MAINTAINED] === 0);
      return project && { text: `is built from ${project.id}, which is not maintained by its scorecard` };
    }
    return { text: `belongs to a package without a release for ${spanOf(at - last.publishedAt)}` };
  },
};
