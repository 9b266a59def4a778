import type { Detector } from './detector.ts';
import { compareLines, datedReleases, lineOf } from './versions.ts';
import { spanOf } from './words.ts';

const DAY_MS = 24 * 3_600_000;
const SILENCE_MS = 365 * DAY_MS;
const CURRENT_MS = 180 * DAY_MS;

/** The locked line has had no release for a year, while a later one has them. */
export const behind: Detector = {
  signal: 'behind',
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
