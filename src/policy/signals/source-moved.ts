import type { Detector } from './detector.ts';
import { COMPARED_RELEASES } from './provenance-lost.ts';
import { predecessors } from './versions.ts';
import { listOf } from './words.ts';

/** The source project of the version is another one than that of all the versions before it. Repositories also move for good reasons. */
export const sourceMoved: Detector = {
  signal: 'source-moved',
  detect({ key, releases, details }) {
    const own = details?.get(key.version)?.projects ?? [];
    const known = new Set(
      predecessors(releases, key.version)
        .slice(-COMPARED_RELEASES)
        .flatMap(({ version }) => details?.get(version)?.projects ?? []),
    );
    if (own.length === 0 || known.size === 0 || own.some((project) => known.has(project))) return undefined;
    return { text: `names ${listOf(own)} as its source, and the versions before it ${listOf([...known])}` };
  },
};
