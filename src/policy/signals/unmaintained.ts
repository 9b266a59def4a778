import type { Detector } from './detector.ts';
import { datedReleases } from './versions.ts';
import { spanOf } from './words.ts';

const SILENCE_MS = 3 * 365 * 24 * 3_600_000;

/** The package had no release for years. */
export const unmaintained: Detector = {
  signal: 'unmaintained',
  detect({ at, releases }) {
    const last = datedReleases(releases).at(-1);
    if (last === undefined || at - last.publishedAt < SILENCE_MS) return undefined;
    return { text: `belongs to a package without a release for ${spanOf(at - last.publishedAt)}` };
  },
};
