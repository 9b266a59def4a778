import type { Detector } from './detector.ts';
import { datedReleases } from './versions.ts';
import { spanOf } from './words.ts';

const SILENCE_MS = 3 * 365 * 24 * 3_600_000;

/** A check of scorecards. */
const MAINTAINED = 'Maintained';

/** The package had no release for years, or the scorecard of its source project says that nobody maintains it. */
export const unmaintained: Detector = {
  signal: 'unmaintained',
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
